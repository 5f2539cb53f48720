package domain

// ParseTime reads a time as every road into the engine takes it, as seconds since 1970, rounded down: RFC
// 3339, or YYYY-MM-DD hh:mm:ss without a zone, which is UTC. T and Z may be small, and T a blank. There
// are no leap seconds: whether a second of 60 exists hangs on a table that grows.
func ParseTime(s string) (int64, bool) {
	const shape = "0000-00-00T00:00:00"
	if len(s) < len(shape) {
		return 0, false
	}
	for i := range len(shape) {
		switch shape[i] {
		case '0':
			if s[i] < '0' || s[i] > '9' {
				return 0, false
			}
		case 'T':
			if s[i] != 'T' && s[i] != 't' && s[i] != ' ' {
				return 0, false
			}
		default:
			if s[i] != shape[i] {
				return 0, false
			}
		}
	}
	year := two(s, 0)*100 + two(s, 2)
	month, day := two(s, 5), two(s, 8)
	hour, minute, second := two(s, 11), two(s, 14), two(s, 17)
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	rest, ok := passFraction(s[len(shape):])
	if !ok {
		return 0, false
	}
	east := 0
	if rest != "" || s[10] != ' ' {
		if east, ok = zone(rest); !ok {
			return 0, false
		}
	}
	return daysSince1970(year, month, day)*86400 + int64(hour*3600+minute*60+second-east), true
}

func two(s string, at int) int { return int(s[at]-'0')*10 + int(s[at+1]-'0') }

// passFraction gives what comes after a fraction of a second, if there is one.
func passFraction(s string) (string, bool) {
	if s == "" || s[0] != '.' {
		return s, true
	}
	i := 1
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[i:], i > 1
}

// zone is the offset from UTC in seconds.
func zone(s string) (east int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	for _, i := range [...]int{1, 2, 4, 5} {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	if two(s, 1) > 23 || two(s, 4) > 59 {
		return 0, false
	}
	east = two(s, 1)*3600 + two(s, 4)*60
	if s[0] == '-' {
		east = -east
	}
	return east, true
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSince1970 counts days of the proleptic Gregorian calendar; year ≥ 0.
func daysSince1970(year, month, day int) int64 {
	// Years begin in March here, so that the leap day comes last.
	if month > 2 {
		month -= 3
	} else {
		month += 9
		year--
	}
	year += 400 // year 0 begins in March of -1 otherwise
	era, yoe := year/400, year%400
	doy := (153*month+2)/5 + day - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return int64(era*146097+doe) - 719468 - 146097
}
