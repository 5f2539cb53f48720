// Package oidc signs people in to the console by the provider of their company: OpenID Connect's code flow with PKCE.
//
//	browser ─► Path ─► provider, where the person signs in ─► CallbackPath ─► a sign-in link ─► the page takes it
//
// A Provider asks the provider for the ID token of who came back, checks it by the provider's keys, and gives the person the role
// and the account that the first of its grants has for a value of the claim. It then makes a sign-in link for a minute, which is
// taken as any other (package session): a session, its cookie and its end are the same by whatever door a person came in.
//
// What a sign-in is checked against is in a sealed cookie of the browser that began it, for ten minutes: any node ends what another
// began, and nobody ends in one browser what was begun in another.
//
// Grants are of one claim, by exact values. Of the claim email a value counts when the provider says that it was verified. Operators
// sign in at the admin port, which has no provider.
//
// Nothing of a token, a code or a person is logged: a sign-in that fails is logged with its reason. The provider is asked when somebody
// signs in, by at most maxAsking at once. Any goroutine may call a Provider.
package oidc
