package domain

import "context"

// accountKey is the key of the account in a context.
type accountKey struct{}

// ForAccount is the context of work for one account: a wait for a position follows what that account's members
// send on, and no other's.
func ForAccount(ctx context.Context, id AccountID) context.Context {
	return context.WithValue(ctx, accountKey{}, id)
}

// AccountOf is the account that the work is for; 0: any.
func AccountOf(ctx context.Context) AccountID {
	id, _ := ctx.Value(accountKey{}).(AccountID)
	return id
}
