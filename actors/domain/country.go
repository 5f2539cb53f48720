package domain

import "strings"

// assigned are the alpha-2 codes of ISO 3166-1, and XK, which MaxMind, the EU and CLDR use for Kosovo.
const assigned = "ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCW" +
	"CXCYCZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJMJO" +
	"JPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONPNRNUNZOM" +
	"PAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZUAUG" +
	"UMUSUYUZVAVCVEVGVIVNVUWFWSXKYEYTZAZMZW"

// countryAt is where a code is in assigned, and 1; 0: nowhere.
var countryAt = func() (at [26 * 26]uint16) {
	for i := 0; i < len(assigned); i += 2 {
		at[int(assigned[i]-'A')*26+int(assigned[i+1]-'A')] = uint16(i + 1)
	}
	return at
}()

// ParseCountry is the one judgement of a country, on every road into the engine: an assigned alpha-2 code, in
// any case, in capitals; UK is GB and EL is GR, as the EU writes them. False: it is none.
func ParseCountry(text string) (alpha2 string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) != 2 {
		return "", false
	}
	i, j := text[0]|0x20-'a', text[1]|0x20-'a'
	if i >= 26 || j >= 26 {
		return "", false
	}
	at := countryAt[int(i)*26+int(j)]
	switch {
	case at != 0:
		return assigned[at-1 : at+1], true // shares its memory: a code costs none
	case strings.EqualFold(text, "UK"):
		return "GB", true
	case strings.EqualFold(text, "EL"):
		return "GR", true
	}
	return "", false
}
