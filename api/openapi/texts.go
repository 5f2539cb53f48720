package openapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/serve"
)

// manual is what holds for all operations.
const manual = `Member, activity and brand analytics: who did what, when, for which brand.

**Key.** Every request has the access key of an application in the header X-API-Key, or as Authorization: Bearer ov_…; or as apiKey
in the query, or in the body of a POST. An address ends up in histories and logs of proxies: prefer a header. Two keys that differ
are error 2. Addresses in answers have no key.

**Parameters.** Names are in any case. A GET takes them in the query. A POST takes them in a JSON object or in a form, as described here;
each may be in the query instead, but in one place only. An unknown parameter is ignored and named in a Warning header; with strict=1 it
is error 4. Send strict=1 always: a misspelt filter else gives the numbers without it. Switches are 1, 0, true or false.
An empty value is an absent one in a GET; in a POST it clears the field.

**Times** are UTC: YYYY-MM-DD HH:MM:SS (RFC 3339 is taken, too). The bounds of a range may be dates: the day of end_date is in the range
then. A range has its start and not its end; without dates it is the last week.
X-Range says which range was answered, Warning that it was clamped.

**Numbers** of statistics are strings, as older clients read them; the description of a field says so by its type. Counts are exact:
a total counts a member once over the whole range, so a total of members is not the sum of its rows.

**Pages.** limit is LIMIT or OFFSET,LIMIT. Lists that have cursor: cursor= (empty) asks for the first page, paging.next for each
further one; add the key yourself. Cursor pages return each row once even while data arrives. Pages by offset end at row
100,000, with a Warning where there are more.

**Read your writes.** Each answer has X-Position. A request with that token as wait_for answers once it is applied, or with error 11 after timeout_ms.

**Polling.** A GET has an ETag; If-None-Match gives 304. Equal tags mean equal bodies but for jwt and explain.position.

**Pages in browsers.** Domains on the application's allowlist get Access-Control-Allow-Origin; no cookie is used. A key made with
--public may be in a page: it is taken by app/info, auth, and by register and login by email or by a network that checks authtoken,
and with the Bearer of a member for that member; any other operation is error 15.

**Repeats.** A POST with an Idempotency-Key may be sent again without harm.`

// What the ways to give the key have in common, and each for itself.
const (
	keyText       = "The access key of an application."
	keyBearerText = "The access key of an application, which begins with ov_. A Bearer without that prefix is a member's token: the key is elsewhere then."
	keyQueryText  = "The access key of an application, where a client can set no header. A POST may have it in its body. " +
		"Addresses in answers are without it."
)

// bearerText says what a member's token is for.
const bearerText = "The jwt of a member's envelope, beside the key of the application that it was made for: the request is about that member then; " +
	"another member is error 15, a token that is forged or has expired error 2, and to a POST one that was made before a reset of the member. It is signed with EdDSA by a key of /.well-known/jwks.json."

// tags are the groups of operations.
var tags = []object{
	{"name": "Brands", "description": "Artists, shows and the like: what members are active for. Beside each brand its statistics."},
	{"name": "Activities", "description": "Definitions say what can be done; actions are that a member did it once. Actions are recorded here, listed and counted."},
	{"name": "Segments", "description": "Named sets of activity definitions with points of their own, and a list of members: who opted in, was put there, or is there by its rule."},
	{"name": "Members", "description": "People, with their service records, opt-ins and actions."},
	{"name": "Auth", "description": "The member of a token."},
	{"name": "Applications", "description": "The application of the key, and the domains whose pages may read answers."},
	{"name": "Login statistics", "description": "Registrations and logins. A registration is a service record that comes into being; a visit is either. " +
		"Every visit counts. Of the pages and domains of an account's visits each shard keeps 100,000, of 256 bytes on average at most, and as many pages of segments besides. " +
		"A visit to others has the page alone if it is that of a segment, else the domain alone if another visit has it, else neither; from then on an answer by page or domain has a Warning. " +
		"So does a list of visits."},
	{"name": "Webhooks", "description": "Addresses of yours that get each action as it becomes visible, signed as Standard Webhooks says. The guide Receive webhooks has the rest."},
	{"name": "Account", "description": "How often the account's keys were used."},
	{"name": "Documents", "description": "What needs no key."},
}

// headers of answers.
var headers = object{
	"ETag":                header("weak tag of the body, for If-None-Match: equal tags mean equal bodies but for jwt and explain.position, which no tag covers", "string"),
	"Cache-Control":       header("how long the document may be kept", "string"),
	"X-Position":          header("what has been applied to give this answer; of a POST, where it is visible: a token for wait_for", "string"),
	"X-Lag-Ms":            header("milliseconds since the end of the log, as then seen, has been applied", "integer"),
	"X-Range":             header("the range answered, as start/end", "string"),
	"X-Request-Id":        header("the request in the service's log", "string"),
	"Warning":             header("one for each parameter that was ignored or changed, and one where visits may be missing by page or domain: 299 - \"text\"", "string"),
	"Link":                header("addresses of the pages beside this one, rel next and prev, without the key", "string"),
	"RateLimit-Limit":     header("how many requests the account may send at once, over all of its keys", "integer"),
	"RateLimit-Remaining": header("how many of them are left", "integer"),
	"RateLimit-Reset":     header("seconds until all of them are there again", "integer"),
	"Retry-After":         header("seconds after which a repeat is worth it, with errors 8, 11 and 19", "integer"),
	"Idempotent-Replayed": header("true: this is the outcome of an earlier request, or of one under way, with the same Idempotency-Key", "string"),
}

func header(text, kind string) object {
	return object{"description": text, "schema": object{"type": kind}}
}

// problemText is the table of errors.
func problemText() string {
	var b strings.Builder
	b.WriteString("An error (RFC 9457). Nothing was changed by it, but by one of code 10 or 11 to a POST, whose outcome is unknown: repeat with the same Idempotency-Key.\n\n")
	b.WriteString("| code | type | status | when |\n|---|---|---|---|\n")
	for _, code := range problem.Codes() {
		fmt.Fprintf(&b, "| %d | /errors/%s | %d | %s |\n", code, problem.Slug(code), problem.Status(code), problem.When(code))
	}
	return b.String()
}

// slugs are the words of all errors.
func slugs() (out []string) {
	for _, code := range problem.Codes() {
		out = append(out, problem.Slug(code))
	}
	return out
}

// outcomeText says what a status of success means.
func outcomeText(o *serve.Operation, status int) string {
	switch {
	case status != http.StatusAccepted:
		return "OK"
	case o.Each != nil:
		return "async=1: the good records are in the log and will be applied."
	}
	return "async=1: the record is in the log and will be applied."
}

// Notes are what an operation's summary does not say, by its id.
var Notes = map[string]string{
	"recordActivity":   "An unknown member, brand or activity is error 5 at once, with async=1 too, the default; an id of a member who is erased, or merged into another, is error 16. What is refused on applying, such as an action from a service that no longer shares, is an error with async=0 alone: with async=1 it becomes a dead letter.",
	"recordActivities": "A bad record is an error of its own item, as in activity/record: an unknown member is error 5 with async=1 too, the default; one who is erased, or merged into another, is error 16. The same Idempotency-Key with other records is error 7 of the whole request.",
	"getFeed":          "Without all_member_actions=1 each member's latest matching action alone. A cursor of activity/feed/stream, or cursor=begin or now, gives the stream's next page instead, every action, the oldest first, at most 500: next is the cursor of the page after it, always there, and good for the stream, too; removed and erased are what is taken back, of earlier pages. The range, sort and the order by recording are ignored there, with a Warning.",
	"streamFeed": "Server-sent events: activity, whose data is an item of activity/feed, for every action as it becomes visible, in order of a member's actions; removed, whose data has the ID of an action that was deleted; " +
		"erased, whose data has the MemberID of a member who was erased; problem, whose data is that of an error, before an end by one. " +
		"The id of an event is where the stream goes on: as Last-Event-ID or cursor, at any node and after any time, with the same filters and for the same account; else error 4. " +
		"It goes on without gap and without repeat, over merges of members, too. With a filter on members (who they are, what they did, in which segment) actions of a member may come again when it is merged into another, or parted from it, and what came late from there may be left out. " +
		"Every 15 seconds an id comes without event, and the lag in milliseconds as a comment; an answer ends after about 30 minutes: come back with the id. " +
		"An action that was deleted, or whose member was erased, before it was sent is not sent. removed and erased come of what was sent and of what was not, such as what was deleted before: a client ignores what it does not know. " +
		"removed comes of actions that pass brandID, services, activityID, segment and includeOneTime, whatever the other filters, erased of every member of the account: one, in place of a removed for each of its actions. " +
		"anyofactivities, allofactivities and members_from_segment are judged when an action is sent, the two former over the week before it. " +
		"A node has at most 20, 100 or 500 streams of an account open by its plan (else error 8), 2,000 of all and 256 different questions (else error 11). Error 11 and 8 after the start have a retry beside them. " +
		"An opening is one hit. The answer has no ETag, and is packed by gzip alone.",
	"streamSegment": "Server-sent events: enter, as a member comes onto the list, and leave, as one leaves it, whose data is a Membership; problem, whose data is that of an error, before an end by one. " +
		"Who is on the list as it is first followed has no event: read members?members_from_segment= after the stream has begun, then apply what comes. " +
		"The id of an event is where the stream goes on, as in activity/feed/stream: as Last-Event-ID or cursor, at any node, without gap and without repeat; cursor= (empty) begins with the first event that is kept. " +
		"Events are kept for 30 days. A list whose stream was not opened for 30 days is followed no more, and its events are deleted. An id of before what is kept is error 4. " +
		"Each shard decides when it applies a record: an action counts as soon as it is applied, and leaves a rule's period as the shard's clock comes into a full hour after that, at the latest an hour after. " +
		"A member whom an edit of the rule, a merge, an erasure or an opt-out takes off the list leaves. An account has at most 100 lists followed (else error 12). " +
		"The first opening waits up to 10 seconds until all shards follow the list (else error 11). Bounds, ends and the comments are those of activity/feed/stream.",
	"createWebhook": "The answer has the Secret, which no other shows. Filters are those of activity/feed, and are judged as in activity/feed/stream. " +
		"They choose actions alone, and with segment the list whose enter and leave are sent, as by segment/[segmentid]/stream. " +
		"An account has at most 100 webhooks (else error 12). An action that is deleted, or whose member is erased, before it was sent is not sent.",
	"editWebhook": "A filter that is given empty is taken away. What waits to be sent is judged by the new filters; cursors of before are error 4. rotate=1 shows the new Secret.",
	"testWebhook": "Status is that of the receiver's answer, or timeout, unreachable (no such name, no address that may be dialled, none that answers, no TLS) or broken (no whole answer). " +
		"Its event is test, and is in no list. It is sent to a webhook that is disabled, too.",
	"listDeliveries":        "What was not tried yet comes first, then the latest try. Of each shard the last 1,000 messages that were delivered are listed, and those that were given up in the last 7 days.",
	"redeliver":             "Events that are still to be delivered come anyway. With a cursor all events after it come again, also where they were delivered.",
	"getFeedRSS":            "RSS 2.0 of what activity/feed lists: title is the member's name and the action's, guid its ID, description the values in its Content, as HTML. Errors are JSON.",
	"getBrandActivityStats": "Most actions first. Without limit all rows.",
	"getBrandTimeline":      "Every UTC day that the range touches, zeros included; services without a match are left out.",
	"getBrandAges":          "Every band, zeros included.",
	"getBrandGenders":       "Every gender, zeros included.",
	"getBrandSegmentStats":  "The segments of the brand. With segment that one alone, also one of the account's; one of another brand has no row and is named in a Warning.",
	"getSignups":            "Most registrations first; services without one are left out.",
	"getSignupChannels":     "Most registrations first; services without one are left out.",
	"getSignupTimeline":     "Every UTC day that the range touches, zeros included; services without a registration are left out.",
	"getSignupDomains":      "Most registrations first; those without a domain are one row.",
	"getTopDomains":         "Most visits first; those without a domain are one row.",
	"getMemberTopDomains":   "Most visits first; those without a domain are one row.",
	"getMemberVisits":       "Most visits first; members without one are left out.",
	"countDaily":            "Every UTC day that the range touches, zeros included.",
	"deleteActivity":        "New actions of it are refused. Segments that have it keep it: what was done of it before counts on.",
	"registerMember":        "A public key registers by email, and by networks whose authtoken is checked. Error 4 of authtoken: the network does not confirm it; error 11: the network cannot be asked. A member with that identity is met again: what is given overwrites. The answer is an array of exactly one envelope.",
	"getAuth":               "With details=1 or extended=1 the envelope. Error 13: no member has the access token, or not any more. The POST keeps the token out of the address.",
	"authenticate":          "With details=1 or extended=1 the envelope. Error 13: no member has the access token, or not any more.",
	"listExtendedMembers":   "Values in the node are sealed at rest: query_extended, required_fields with paths into Extended and order_by open the members that pass all other filters, at most 200,000, or 20,000 where a path leads into domains or ae_data; more are error 12.",
	"findMember":            "Without a name it is the member of the Bearer.",
	"allowDomain":           "Pages of the domain, on any port and also under www., may read answers to the application's keys. Another domain below it is another domain.",
	"registerMembers":       "Each record has the parameters of member/register, or password_hash in place of password. A bad record is an error of its own item. Records of one identity are taken in their order. Tokens are checked where a check is configured for the network. The same Idempotency-Key with other records is error 7 of the whole request.",
	"updateMember":          "Error 7: another member logs in with the address, and nothing has changed. VerifiedEmail stays. The Extended node is merged with extended. Of a member that others are merged into: email is the login address of its own email record, if it has one, else of the first of them that has one; what is cleared, and activity_sharing_enabled, is changed of all of them, and stays so when a merge is taken back.",
	"verifyMember":          "The caller has verified the address. Error 15 with the key of another application than that which the member registered with. Where another member has the address verified, the record is marked, too, and the two are merged: the one who registered first stays, and the answer is that one's envelope. When the merge is taken back the mark stays on its record, and verified_email finds the member that had the address before. Error 7: another request about the address, or another merge of one of the two, is under way; a repeat finds what became of it. Error 12: the two are not merged, since a chain of merges would have more than 8 or the one who registered later is too large; the mark is made.",
	"resetMember":           "The access token of before is no token any more, a jwt of before reads until it expires and writes nothing, a lock of the address ends.",
	"removeService":         "Its identity is free again, and an address that was verified on it alone is not verified any more. Error 7: it is the last one, of the member or of one that is merged into it.",
	"deleteMember":          "Its id is error 16 from then on, and what it was named by is free: who registers with it is another member. Members that are merged into it are erased with it; Receipt names it alone. Send an Idempotency-Key: a repeat with it within 24 h gets the same Receipt, one without it error 16. Receipt is signed with EdDSA by a key of /.well-known/jwks.json, which leaves that set at the second rotation: keep the set beside the receipt.",
	"mergeMembers":          "The answer is the envelope of memberid with the service records and opt-ins of both; where both have a value that of memberid is shown, of VerifiedEmail the address verified last. From then on the id of from is error 16 with the address of memberid in Location, its access token is that of no member, and in lists of members it stands for memberid. Error 18: accesstoken is not from's; error 7: one of the two takes part in another merge at the moment; error 12: a chain of merges (from into memberid, another one into from, and so on) would have more than 8, from is too large with those that are merged into it (1 MiB beside its actions), or was merged too often (65,535 times). What is merged already is answered again. A walk of a feed by cursor, or of explain, that is under way may be error 4: begin it again; so it is after unmerge.",
	"unmergeMembers":        "The answer is an array of both envelopes, memberid's first. What from did meanwhile is its own; its access token is good again. Opt-outs, deletions, erasures and cleared fields stay so, a verified address and a login address stay with their service record. Error 5: from is not merged into memberid.",
	"refreshTokens":         "The token endpoint configured for service is asked by the record's TokenSecret: Token, Expires and, where the network sends a new one, TokenSecret are replaced, and Valid is 1. A refresh token that the network refuses makes Valid 0. Error 7: the record has no refresh token; error 11: no token endpoint is configured, or it cannot be asked.",
	"loginMember":           "Error 13 where no member has the identity under this application, also while its registration waits. 10 wrong passwords in 15 minutes for one identity lock it for 15 minutes, 100 from one address the address. A public key logs in by email, and by networks whose authtoken is checked. Error 4 of authtoken: the network does not confirm it; error 11: the network cannot be asked.",
	"attachService":         "The answer is an array of exactly one envelope.",
	"getUsage":              "An array of one object. A hit is an answered request with a valid key, errors and 304 too, 429 not; it is shown about a second after its answer. The range is widened to whole steps, and clamped at its start (Warning, X-Range) to 7 days per hour, 90 days per day, 12 months per month, and to the year before today. Steps without a hit and applications without one are there.",
	"exportMember": "Lines of JSON, each with its type: member (as member show has it, with Extended), profile (in the parameters of member/update), " +
		"service (a service record in the parameters of members/register, and a further line for each further domain that it registered on), optin, visit and " +
		"ovation.activity.v1 (an action as a record of the public topic, with the item of the feed), both the oldest first, sharing (a service record that " +
		"shares nothing any more, to be posted to members/register once the actions are imported), end. No password and no hash of one is among them: to import a " +
		"service line by email, add password_hash. The answer is made while it is sent and has no ETag: without the line end, which has the counts, it is not whole. " +
		"An action or a visit whose place stays is there exactly once while data arrives; actions that were deleted are not. " +
		"Where a member is merged into this one meanwhile, or parted from it, it ends without end, or is error 11: ask for it again.",
	"deleteBrand": "Error 7 while segments or definitions use it, unless force=1: they go, too. Actions stay in feeds.",
}

// textOf is the operation's description, a sentence each.
func textOf(o *serve.Operation) (text []string) {
	if note := Notes[o.ID]; note != "" {
		text = append(text, note)
	}
	switch {
	case o.Access.OfMember:
		text = append(text, "A public key needs the Bearer of the member.")
	case o.Access.Public:
		text = append(text, "A public key may use it.")
	}
	return text
}
