package main

// SecretsCmd is about the file of secrets.
type SecretsCmd struct {
	Create SecretsCreate `cmd:"" help:"Make the secrets of a new installation, for nodes whose secrets are put there before they start. A node with a data directory of its own makes them itself." example:"ovation secrets create secrets.yaml"`

	RotateMaster RotateMaster `cmd:"" help:"Add a new master key to the secrets file, before the older ones. A node wraps its slot keys under it at its next start; members' data is not rewritten." example:"ovation secrets rotate-master --data /var/lib/ovation"`

	RotateSigning RotateSigning `cmd:"" help:"Have a running node make a new key that signs members' tokens. Its private half is added to the node's file of secrets, which belongs on every node; its public half is in the key set at once. It signs in 10 minutes." example:"ovation secrets rotate-signing; ovation secrets rotate-signing --end"`
	SigningKeys   SigningKeys   `cmd:"" help:"List the keys that sign members' tokens, of a running node." example:"ovation secrets signing-keys"`
}
