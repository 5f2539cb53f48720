package domain

import "testing"

// A country is an assigned code, in any case; what networks write for an unknown one is none.
func TestParseCountry_AssignedCodesAlone(t *testing.T) {
	for text, want := range map[string]string{
		"DE": "DE", "de": "DE", " De ": "DE", "GB": "GB", "UK": "GB", "uk": "GB", "EL": "GR", "XK": "XK", "AX": "AX", "ZW": "ZW", "AD": "AD",
		"": "", "D": "", "DEU": "", "ZZ": "", "XX": "", "EU": "", "T1": "", "AN": "", "YU": "", "SU": "", "QQ": "", "Germany": "", "\xff\xff": "", "é": "", "1A": "", "@@": "", "[[": "", "`a": "",
	} {
		if got, ok := ParseCountry(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", text, got, ok, want)
		}
	}
	n := 0
	for i := range 26 * 26 {
		code := string([]byte{byte('A' + i/26), byte('A' + i%26)})
		if got, ok := ParseCountry(code); ok && got == code {
			n++
		}
	}
	if n != 250 {
		t.Errorf("%d codes", n)
	}
}
