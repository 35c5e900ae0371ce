package main

import (
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
)

// Near duplicates are marked when that is asked for, and stay marked.
func TestCorpusDedupe(t *testing.T) {
	_, _, folder := buildFarm(t)
	if code, _, errs := invoke("corpus", "dedupe", folder); code != exitUsage || !strings.Contains(errs, "--near") {
		t.Errorf("got %d, %q", code, errs)
	}
	code, out, errs := invoke("corpus", "dedupe", folder, "--near")
	counts := manifestOf(t, folder).Counts
	if code != exitOK || !strings.Contains(out, "10 documents, 1 with the text of an earlier one; by minhash/1") || counts.NearDuplicates < 5 || counts.NearClusters < 1 {
		t.Errorf("got %d, %q, %q, %+v", code, out, errs, counts)
	}
	check := func(when string) {
		t.Helper()
		ids := map[string]bool{}
		for _, d := range documentsOf(t, folder) {
			ids[d.ID] = true
		}
		marked := int64(0)
		for _, d := range documentsOf(t, folder) {
			if d.NearDupOf == "" {
				continue
			}
			if marked++; !ids[d.NearDupOf] {
				t.Errorf("%s: %s is near to %s, which is not there", when, d.URL, d.NearDupOf)
			}
		}
		if m := manifestOf(t, folder); m.Near != corpus.NearMethod || m.Counts.NearDuplicates != marked {
			t.Errorf("%s: got %q, %d marked, %+v", when, m.Near, marked, m.Counts)
		}
		if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
			t.Errorf("%s: got %d, %q", when, code, out)
		}
	}
	check("deduped")
	if code, _, errs := invoke("resume", folder, "--progress", "none"); code != exitOK {
		t.Errorf("got %d, %q", code, errs)
	}
	check("resumed")
	if _, out, _ := invoke("corpus", "stats", folder); !strings.Contains(out, "near duplicates") {
		t.Errorf("got %q", out)
	}
	var removals []corpus.Removal
	for _, d := range documentsOf(t, folder)[:1] {
		removals = append(removals, corpus.Removal{ID: d.ID, URL: d.URL})
	}
	if _, err := corpus.WriteRemovals(openTestRoot(t, folder), time.Now(), removals); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := invoke("corpus", "purge", folder); code != exitOK {
		t.Errorf("got %d, %q", code, errs)
	}
	check("purged")
	if code, _, errs := invoke("corpus", "decide", folder, "--policy", "cautious"); code != exitOK {
		t.Errorf("got %d, %q", code, errs)
	}
	check("decided")
}
