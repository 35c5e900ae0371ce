package fetch

import "testing"

func TestMayPass(t *testing.T) {
	tests := []struct {
		failure Failure
		status  int
		want    bool
	}{
		{FailConnect, 0, true},
		{FailTimeout, 0, true},
		{FailDNS, 0, true},
		{FailTLS, 0, true},
		{FailThrottled, 429, true},
		{FailServer, 500, true},
		{FailNone, 501, true},
		{FailNone, 200, false},
		{FailNone, 404, false},
		{FailShort, 200, false}, // a page, if cut
		{FailPrivate, 0, false},
		{FailProtocol, 0, false},
		{FailDecode, 200, false},
	}
	for _, test := range tests {
		if got := test.failure.MayPass(test.status); got != test.want {
			t.Errorf("%q with status %d: got %t, want %t", test.failure, test.status, got, test.want)
		}
	}
}
