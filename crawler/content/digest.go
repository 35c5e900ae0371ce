package content

import (
	"crypto/sha256"
	"encoding/hex"
)

// SHA256 returns the SHA-256 of data in lower-case hex.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
