package date

import "time"

// Plain parses YYYY-MM-DD and YYYY-MM-DDThh:mm:ss with a zone, the forms of
// most files, and no others.
func Plain(text []byte) (time.Time, bool) {
	if len(text) < 10 || text[4] != '-' || text[7] != '-' {
		return time.Time{}, false
	}
	century, okCentury := pair(text[0], text[1])
	year, okYear := pair(text[2], text[3])
	month, okMonth := pair(text[5], text[6])
	day, okDay := pair(text[8], text[9])
	year += 100 * century
	if !okCentury || !okYear || !okMonth || !okDay || year < 2 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return time.Time{}, false
	}
	seconds, ok := 0, true
	if len(text) > 10 {
		seconds, ok = plainTime(text[10:])
	}
	return time.Unix(int64(daysBefore(year, month)+day-1)*86400+int64(seconds), 0).UTC(), ok
}

// pair parses two digits.
func pair(tens, ones byte) (int, bool) {
	tens, ones = tens-'0', ones-'0'
	return int(tens)*10 + int(ones), tens <= 9 && ones <= 9
}

func daysIn(year, month int) int {
	if month == 2 {
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + (month+month/8)%2
}

// daysBefore returns the days from 1970 to the start of a month. It counts years
// from March, so that the leap day is the last day of one.
func daysBefore(year, month int) int {
	if month < 3 {
		year, month = year-1, month+12
	}
	return year*365 + year/4 - year/100 + year/400 + (153*month-457)/5 - 719468
}

// plainTime parses Thh:mm:ssZ or Thh:mm:ss±hh:mm as seconds of the day in UTC.
func plainTime(text []byte) (seconds int, ok bool) {
	if len(text) != len("Thh:mm:ssZ") && len(text) != len("Thh:mm:ss+hh:mm") || text[0] != 'T' || text[3] != ':' || text[6] != ':' {
		return 0, false
	}
	hour, okHour := pair(text[1], text[2])
	minute, okMinute := pair(text[4], text[5])
	second, okSecond := pair(text[7], text[8])
	if !okHour || !okMinute || !okSecond || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	seconds = hour*3600 + minute*60 + second
	zone := text[9:]
	if len(zone) == 1 {
		return seconds, zone[0] == 'Z'
	}
	hour, okHour = pair(zone[1], zone[2])
	minute, okMinute = pair(zone[4], zone[5])
	if !okHour || !okMinute || zone[3] != ':' || hour > 23 || minute > 59 {
		return 0, false
	}
	switch zone[0] {
	case '+':
		return seconds - hour*3600 - minute*60, true
	case '-':
		return seconds + hour*3600 + minute*60, true
	}
	return 0, false
}
