package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"aead.dev/minisign"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// SignatureName is a signature of the manifest, in the format of minisign.
const SignatureName = ManifestName + ".minisig"

// ErrSignature means that the manifest has no signature by a key.
var ErrSignature = errors.New("not signed by this key")

// Sign signs the manifest that [Publish] returned. Its trusted comment, which the
// signature covers too, names the crawl and the time of the manifest.
func (m *Manifest) Sign(root *os.Root, key minisign.PrivateKey) error {
	data, err := root.ReadFile(ManifestName)
	if err != nil {
		return fmt.Errorf("sign manifest: %w", err)
	}
	reader := minisign.NewReader(bytes.NewReader(data))
	if _, err := io.Copy(io.Discard, reader); err != nil {
		return fmt.Errorf("sign manifest: %w", err)
	}
	comment := "decorum crawl " + m.CrawlID + ", manifest of " + m.WrittenAt
	signature := reader.SignWithComments(key, comment, "signature of "+ManifestName)
	if err := atomicfile.WriteData(root, SignatureName, signature); err != nil {
		return fmt.Errorf("sign manifest: %w", err)
	}
	return nil
}

// CheckSignature returns the trusted comment of the signature, or an error that is
// [ErrSignature] if there is no signature of this manifest by the key.
func CheckSignature(root *os.Root, key minisign.PublicKey) (comment string, err error) {
	text, err := root.ReadFile(SignatureName)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is missing: %w", SignatureName, ErrSignature)
	}
	if err != nil {
		return "", fmt.Errorf("read signature: %w", err)
	}
	data, err := root.ReadFile(ManifestName)
	if err != nil {
		return "", fmt.Errorf("read manifest: %w", err)
	}
	var signature minisign.Signature
	switch err := signature.UnmarshalText(text); {
	case err != nil:
		return "", fmt.Errorf("%s is not a signature: %w", SignatureName, ErrSignature)
	case signature.KeyID != key.ID():
		return "", fmt.Errorf("%s is by the key %016X: %w", SignatureName, signature.KeyID, ErrSignature)
	case !minisign.Verify(key, data, text):
		return "", fmt.Errorf("%s was changed since it was signed: %w", ManifestName, ErrSignature)
	}
	return strings.TrimSpace(signature.TrustedComment), nil
}

// unsign removes the signature of an earlier manifest.
func unsign(root *os.Root) error {
	if err := root.Remove(SignatureName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove signature: %w", err)
	}
	return nil
}
