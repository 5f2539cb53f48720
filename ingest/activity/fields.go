package activity

import "math/bits"

// field is a member of the JSON text, or a header, that means something to us.
type field uint8

const (
	unnamed field = iota

	// Attributes of the event.
	specVersion
	eventType
	eventID
	eventSource
	eventTime
	data
	dataBase64

	// The data.
	account
	memberID
	service
	serviceUserID
	partnerCode
	partnerID
	activityID
	brandID
	content
	link
	media
	marker
	geo

	// The data's geo.
	country
	region
	city
	lat
	lon

	fieldCount
)

// scope is a set of fields: which names mean something in an object.
type scope uint32

// The objects that records are made of. No name means something in two of them
// that are one object in another record, so one set of fields serves all.
const (
	noNames    scope = 0
	attributes scope = 1<<(dataBase64+1) - 1<<specVersion
	dataNames  scope = 1<<(geo+1) - 1<<account
	geoNames   scope = 1<<(lon+1) - 1<<country
	plainNames scope = attributes&^(1<<data|1<<dataBase64) | dataNames
)

func (s scope) has(f field) bool { return s>>f&1 != 0 }

// named is the field of a name. Names are compared exactly, letter by letter.
func named(name []byte) field {
	switch string(name) {
	case "specversion":
		return specVersion
	case "type":
		return eventType
	case "id":
		return eventID
	case "source":
		return eventSource
	case "time":
		return eventTime
	case "data":
		return data
	case "data_base64":
		return dataBase64
	case "account":
		return account
	case "memberID":
		return memberID
	case "service":
		return service
	case "serviceUserID":
		return serviceUserID
	case "partnerCode":
		return partnerCode
	case "partnerID":
		return partnerID
	case "activityID":
		return activityID
	case "brandID":
		return brandID
	case "content":
		return content
	case "link":
		return link
	case "media":
		return media
	case "marker":
		return marker
	case "geo":
		return geo
	case "country":
		return country
	case "region":
		return region
	case "city":
		return city
	case "lat":
		return lat
	case "lon":
		return lon
	}
	return unnamed
}

// inner is the scope of a field that is an object of fields.
func (f field) inner() scope {
	switch f {
	case data:
		return dataNames
	case geo:
		return geoNames
	}
	return noNames
}

// fields are the values of a record by what they mean. Of a name that is there more
// than once the last value counts, and it alone: nothing of an earlier object is
// left. What has no meaning is put under unnamed and lost.
type fields [fieldCount]token

func (f *fields) empty(names scope) {
	for ; names != noNames; names &= names - 1 {
		n := field(bits.TrailingZeros32(uint32(names)))
		f[n] = token{}
		f.empty(n.inner())
	}
}

// members reads an object, s.i at its bracket, into the fields of the scope.
func (s *scanner) members(depth int, f *fields, names scope) bool {
	if depth >= maxDepth {
		return false
	}
	s.i++
	for more := s.peek() != '}'; more; {
		key := &f[unnamed]
		if !s.key(key) {
			return false
		}
		if key.escaped {
			key.raw = unescape(nil, key.raw)
		}
		name := named(key.raw)
		if !names.has(name) {
			name = unnamed
		}
		if !s.member(depth+1, f, name) {
			return false
		}
		var ok bool
		if more, ok = s.next('}'); !ok {
			return false
		}
	}
	s.i++
	return true
}

// member reads the value of one member.
func (s *scanner) member(depth int, f *fields, name field) bool {
	inner := name.inner()
	if inner == noNames {
		return s.value(depth, &f[name])
	}
	if f[name].kind != absent { // an earlier one, whose fields are there
		f.empty(inner)
	}
	if s.i >= len(s.b) || s.b[s.i] != '{' {
		return s.value(depth, &f[name])
	}
	start, blanks, wides := s.i, s.blanks, s.wides
	if !s.members(depth, f, inner) {
		return false
	}
	f[name] = token{raw: s.b[start:s.i], kind: object, loose: s.blanks != blanks, wide: s.wides != wides}
	return true
}

// document reads a whole JSON text into the fields of the scope, if it is an object;
// otherwise, and if it is malformed, no field is given. The kind is absent where
// the text is malformed.
func (s *scanner) document(f *fields, names scope) kind {
	k := absent
	if s.peek() == '{' {
		if s.members(0, f, names) {
			k = object
		}
	} else if s.value(0, &f[unnamed]) {
		k = f[unnamed].kind
	}
	if k != absent {
		s.peek()
		if s.i < len(s.b) {
			k = absent
		}
	}
	if k != object {
		f.empty(names)
	}
	return k
}
