package audience

// Place is a town that fans live in and artists play in.
type Place struct {
	Country  string // ISO 3166-1 alpha-2
	Region   string // ISO 3166-2 without the country part
	City     string
	Minutes  int // local time is so much later than UTC, all year
	Lat, Lon string

	people uint64 // fans that live there, beside the other places
	names  int    // whose names people there have
}

// Whose names: the rows of the tables in names.go.
const (
	english = iota
	german
	french
	iberian
	nordic
	slavic
	asian
	indian
	turkish
)

// places are where fans live: a few large markets, a long tail of small ones.
var places = []Place{
	{"US", "NY", "New York", -300, "40.7", "-74.0", 62, english},
	{"US", "CA", "Los Angeles", -480, "34.1", "-118.2", 58, english},
	{"US", "IL", "Chicago", -360, "41.9", "-87.6", 34, english},
	{"US", "TX", "Austin", -360, "30.3", "-97.7", 30, english},
	{"US", "GA", "Atlanta", -300, "33.7", "-84.4", 26, english},
	{"US", "WA", "Seattle", -480, "47.6", "-122.3", 24, english},
	{"US", "TN", "Nashville", -360, "36.2", "-86.8", 22, english},
	{"US", "CO", "Denver", -420, "39.7", "-105.0", 14, english},
	{"US", "MA", "Boston", -300, "42.4", "-71.1", 18, english},
	{"GB", "ENG", "London", 0, "51.5", "-0.1", 66, english},
	{"GB", "ENG", "Manchester", 0, "53.5", "-2.2", 28, english},
	{"GB", "SCT", "Glasgow", 0, "55.9", "-4.3", 16, english},
	{"GB", "WLS", "Cardiff", 0, "51.5", "-3.2", 8, english},
	{"DE", "BE", "Berlin", 60, "52.5", "13.4", 44, german},
	{"DE", "HH", "Hamburg", 60, "53.6", "10.0", 24, german},
	{"DE", "BY", "Munich", 60, "48.1", "11.6", 24, german},
	{"DE", "NW", "Cologne", 60, "50.9", "7.0", 22, german},
	{"DE", "SN", "Leipzig", 60, "51.3", "12.4", 10, german},
	{"FR", "IDF", "Paris", 60, "48.9", "2.4", 40, french},
	{"FR", "ARA", "Lyon", 60, "45.8", "4.8", 14, french},
	{"FR", "PAC", "Marseille", 60, "43.3", "5.4", 12, french},
	{"BR", "SP", "São Paulo", -180, "-23.6", "-46.6", 44, iberian},
	{"BR", "RJ", "Rio de Janeiro", -180, "-22.9", "-43.2", 26, iberian},
	{"BR", "RS", "Porto Alegre", -180, "-30.0", "-51.2", 10, iberian},
	{"MX", "CMX", "Mexico City", -360, "19.4", "-99.1", 34, iberian},
	{"MX", "JAL", "Guadalajara", -360, "20.7", "-103.3", 12, iberian},
	{"NL", "NH", "Amsterdam", 60, "52.4", "4.9", 22, german},
	{"NL", "UT", "Utrecht", 60, "52.1", "5.1", 10, german},
	{"ES", "MD", "Madrid", 60, "40.4", "-3.7", 20, iberian},
	{"ES", "CT", "Barcelona", 60, "41.4", "2.2", 18, iberian},
	{"SE", "AB", "Stockholm", 60, "59.3", "18.1", 20, nordic},
	{"SE", "O", "Gothenburg", 60, "57.7", "12.0", 10, nordic},
	{"AU", "NSW", "Sydney", 600, "-33.9", "151.2", 20, english},
	{"AU", "VIC", "Melbourne", 600, "-37.8", "145.0", 18, english},
	{"CA", "ON", "Toronto", -300, "43.7", "-79.4", 22, english},
	{"CA", "QC", "Montreal", -300, "45.5", "-73.6", 14, french},
	{"CA", "BC", "Vancouver", -480, "49.3", "-123.1", 10, english},
	{"PL", "MZ", "Warsaw", 60, "52.2", "21.0", 18, slavic},
	{"PL", "MA", "Krakow", 60, "50.1", "19.9", 8, slavic},
	{"IT", "MI", "Milan", 60, "45.5", "9.2", 18, iberian},
	{"IT", "RM", "Rome", 60, "41.9", "12.5", 12, iberian},
	{"JP", "13", "Tokyo", 540, "35.7", "139.7", 26, asian},
	{"JP", "27", "Osaka", 540, "34.7", "135.5", 10, asian},
	{"KR", "11", "Seoul", 540, "37.6", "127.0", 16, asian},
	{"IN", "MH", "Mumbai", 330, "19.1", "72.9", 20, indian},
	{"IN", "KA", "Bengaluru", 330, "13.0", "77.6", 14, indian},
	{"IN", "DL", "Delhi", 330, "28.6", "77.2", 12, indian},
	{"AR", "C", "Buenos Aires", -180, "-34.6", "-58.4", 16, iberian},
	{"CO", "DC", "Bogotá", -300, "4.7", "-74.1", 11, iberian},
	{"CL", "RM", "Santiago", -240, "-33.4", "-70.7", 10, iberian},
	{"PE", "LIM", "Lima", -300, "-12.0", "-77.0", 6, iberian},
	{"TR", "34", "Istanbul", 180, "41.0", "29.0", 14, turkish},
	{"ID", "JK", "Jakarta", 420, "-6.2", "106.8", 16, indian},
	{"PH", "00", "Manila", 480, "14.6", "121.0", 13, iberian},
	{"NO", "03", "Oslo", 60, "59.9", "10.8", 11, nordic},
	{"DK", "84", "Copenhagen", 60, "55.7", "12.6", 10, nordic},
	{"FI", "18", "Helsinki", 120, "60.2", "24.9", 8, nordic},
	{"BE", "BRU", "Brussels", 60, "50.8", "4.4", 10, french},
	{"CH", "ZH", "Zurich", 60, "47.4", "8.5", 7, german},
	{"AT", "9", "Vienna", 60, "48.2", "16.4", 8, german},
	{"IE", "D", "Dublin", 0, "53.3", "-6.3", 8, english},
	{"PT", "11", "Lisbon", 0, "38.7", "-9.1", 7, iberian},
	{"CZ", "10", "Prague", 60, "50.1", "14.4", 6, slavic},
	{"HU", "BU", "Budapest", 60, "47.5", "19.0", 5, slavic},
	{"RO", "B", "Bucharest", 120, "44.4", "26.1", 4, slavic},
	{"GR", "I", "Athens", 120, "38.0", "23.7", 4, slavic},
	{"UA", "30", "Kyiv", 120, "50.5", "30.5", 5, slavic},
	{"ZA", "GP", "Johannesburg", 120, "-26.2", "28.0", 6, english},
	{"NG", "LA", "Lagos", 60, "6.5", "3.4", 5, english},
	{"EG", "C", "Cairo", 120, "30.0", "31.2", 3, turkish},
	{"NZ", "AUK", "Auckland", 720, "-36.8", "174.8", 5, english},
	{"SG", "01", "Singapore", 480, "1.4", "103.8", 4, asian},
	{"EE", "37", "Tallinn", 120, "59.4", "24.8", 2, nordic},
	{"IS", "1", "Reykjavik", 0, "64.1", "-21.9", 2, nordic},
	{"LU", "LU", "Luxembourg", 60, "49.6", "6.1", 1, french},
	{"MT", "60", "Valletta", 60, "35.9", "14.5", 1, iberian},
	{"UY", "MO", "Montevideo", -180, "-34.9", "-56.2", 2, iberian},
}
