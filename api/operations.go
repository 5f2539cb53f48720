package api

import (
	"net/http"
	"slices"

	"github.com/ovation-analytics/ovation/api/activities"
	"github.com/ovation-analytics/ovation/api/applications"
	"github.com/ovation-analytics/ovation/api/brands"
	"github.com/ovation-analytics/ovation/api/erasure"
	"github.com/ovation-analytics/ovation/api/export"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/members"
	"github.com/ovation-analytics/ovation/api/merging"
	"github.com/ovation-analytics/ovation/api/profile"
	"github.com/ovation-analytics/ovation/api/registration"
	"github.com/ovation-analytics/ovation/api/segments"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/stats"
	"github.com/ovation-analytics/ovation/api/usage"
	"github.com/ovation-analytics/ovation/api/webhooks"
	"github.com/ovation-analytics/ovation/api/wire"
)

// services are the handlers that have a state.
type services struct {
	members      *members.Service
	registration *registration.Service
	profile      *profile.Service
	erasure      *erasure.Service
	brands       *brands.Service
	export       *export.Service
	merging      *merging.Service
	feed         *feed.Streams
	segments     *segments.Streams
	webhooks     *webhooks.Service
}

// operations are all operations, in the order of the document. The list is made again on
// each call: a server fills in its own counters.
func operations(s *services) []*serve.Operation {
	return slices.Concat(catalogOperations(s), memberOperations(s), accessOperations(s.members), webhookOperations(s.webhooks), loginOperations())
}

// catalogOperations are those on brands, definitions and segments.
func catalogOperations(s *services) []*serve.Operation {
	member, brand := s.members, s.brands
	return []*serve.Operation{
		serve.Get("listBrands", "Brands", "/v1.1/brands", "All brands of the account", brand.List, serve.Cached),
		serve.Get("getPopularBrands", "Brands", "/v1.1/brands/crossover", "The most popular brands", stats.Crossover, serve.Cached),
		serve.Get("getBrandCrossover", "Brands", "/v1.1/brands/:brandid/crossover", "Other brands of a brand's active members", stats.Crossover, serve.Cached),
		serve.Get("getBrand", "Brands", "/v1.1/brand/:brandid", "One brand", brands.Show, serve.Cached),
		serve.Get("listBrandActivities", "Brands", "/v1.1/brand/:brandid/activities", "The activity definitions usable for a brand", activities.OfBrand, serve.Cached),
		serve.Get("listBrandSegments", "Brands", "/v1.1/brand/:brandid/segments", "A brand's segments", segments.OfBrand, serve.Cached),
		serve.Post("createBrand", "Brands", "/v1.1/brand/create", "Create a brand", brand.Create, serve.Advanced, serve.Enterprise(wire.CustomPrefix)),
		serve.Post("editBrand", "Brands", "/v1.1/brand/:brandid/edit", "Edit a brand: what is given overwrites", brand.Edit, serve.Advanced, serve.Enterprise(wire.CustomPrefix)),
		serve.Post("deleteBrand", "Brands", "/v1.1/brand/:brandid/delete", "Delete a brand", brands.Delete, serve.Advanced),
		serve.Post("optInToBrand", "Brands", "/v1.1/brand/:brandid/optin", "Opt a member in to a brand", member.OptBrand(members.OptsIn), serve.PublicWithBearer),
		serve.Post("optOutOfBrand", "Brands", "/v1.1/brand/:brandid/optout", "Opt a member out of a brand", member.OptBrand(members.OptsOut), serve.PublicWithBearer),
		serve.Get("getBrandActivityStats", "Brands", "/v1.1/brand/:brandID/stats/activity", "Tally of activities", stats.Activities, serve.Cached),
		serve.Get("getBrandTimeline", "Brands", "/v1.1/brand/:brandID/stats/timeline", "Activity by day and service", stats.Timeline, serve.Cached),
		serve.Get("getBrandLocations", "Brands", "/v1.1/brand/:brandID/stats/location", "Activity by country", stats.Locations, serve.Cached),
		serve.Get("getBrandGenders", "Brands", "/v1.1/brand/:brandID/stats/gender", "Activity by gender", stats.Genders, serve.Cached),
		serve.Get("getBrandAges", "Brands", "/v1.1/brand/:brandID/stats/age", "Activity by age, in whole years on the UTC day of the range's last second", stats.Ages, serve.Cached),
		serve.Get("getBrandActiveMembers", "Brands", "/v1.1/brand/:brandID/stats/members", "Active members, new and returning: new is whose first action ever for the brand lies in the range", stats.Newcomers, serve.Cached),
		serve.Get("getBrandSegmentStats", "Brands", "/v1.1/brand/:brandID/stats/segments", "Members and actions of a brand's segments, of all time", stats.Segments, serve.Cached),

		serve.Get("listActivities", "Activities", "/v1.1/activities", "All activity definitions of the account", activities.List, serve.Cached),
		serve.Get("getActivity", "Activities", "/v1.1/activity/:activityid", "One activity definition", activities.Show, serve.Cached),
		serve.Get("getFeed", feed.Group, "/v1.1/activity/feed", "Actions of members, newest first", feed.List, serve.Cached, serve.OfStream),
		serve.Get("streamFeed", feed.Group, "/v1.1/activity/feed/stream", "Actions of members as they become visible, as server-sent events", s.feed.List, serve.OfStream),
		serve.Get("getFeedRSS", "Activities", "/v1.1/activity/feed.rss", "Actions of members as RSS, newest first", feed.ListRSS, serve.Cached, serve.ForEditors),
		serve.Get("countDaily", "Activities", "/v1.1/activity/count/daily", "Activity by day, of a brand or of all", stats.Daily, serve.Advanced, serve.Cached),
		serve.Get("countServices", "Activities", "/v1.1/activity/count/services", "Activity by day and service, of a brand or of all", stats.Timeline, serve.Advanced, serve.Cached),
		serve.Post("createActivity", "Activities", "/v1.1/activity/create", "Create an activity definition", activities.Create),
		serve.Post("editActivity", "Activities", "/v1.1/activity/:activityid/edit", "Edit an activity definition", activities.Edit, serve.Advanced),
		serve.Post("deleteActivity", "Activities", "/v1.1/activity/:activityid/delete", "Delete an activity definition; its actions stay", activities.Delete, serve.Advanced),
		serve.Post("recordActivity", "Activities", "/v1.1/activity/record", "Record an action of a member", activities.Record, serve.Advanced,
			serve.Objects("content"), serve.Answers[wire.FeedItem](http.StatusOK), serve.Answers[wire.Accepted](http.StatusAccepted)),
		serve.Post("recordActivities", "Activities", "/v1.1/activities/record", "Record many actions: good ones are taken whatever the others are", activities.RecordMany, serve.Advanced,
			serve.Objects("content"), serve.Many[activities.Action], serve.Answers[wire.RecordedMany](http.StatusOK), serve.Answers[wire.RecordedMany](http.StatusAccepted)),

		serve.Get("listSegments", "Segments", "/v1.1/segments", "All segments of the account", segments.List, serve.Cached),
		serve.Get("getSegment", "Segments", "/v1.1/segment/:segmentid", "One segment", segments.Show, serve.Cached),
		serve.Get("streamSegment", "Segments", "/v1.1/segment/:segmentid/stream", "Who comes onto a segment's list and who leaves it, as server-sent events", s.segments.List, serve.OfStream),
		serve.Post("createSegment", "Segments", "/v1.1/segment/create", "Create a segment", segments.Create, serve.Advanced),
		serve.Post("editSegment", "Segments", "/v1.1/segment/:segmentid/edit", "Edit a segment: what is given overwrites", segments.Edit, serve.Advanced),
		serve.Post("deleteSegment", "Segments", "/v1.1/segment/:segmentid/delete", "Delete a segment; opt-ins to it end", segments.Delete, serve.Advanced),
		serve.Post("optInToSegment", "Segments", "/v1.1/segment/:segmentid/optin", "Opt a member in to a segment", member.OptSegment(members.OptsIn), serve.PublicWithBearer),
		serve.Post("optOutOfSegment", "Segments", "/v1.1/segment/:segmentid/optout", "Opt a member out of a segment", member.OptSegment(members.OptsOut), serve.PublicWithBearer),
	}
}

// memberOperations are those on members.
func memberOperations(s *services) []*serve.Operation {
	member := s.members
	return []*serve.Operation{
		serve.Post("registerMember", "Members", "/v1.1/member/register", "Register a member by a service, or meet it again", s.registration.Register, serve.Public, serve.WithBearer, serve.Withheld(registration.Withheld...)),
		serve.Post("registerMembers", "Members", "/v1.1/members/register", "Register many members: good ones are taken whatever the others are", s.registration.RegisterMany, serve.Advanced, serve.Many[registration.Registration]),
		serve.Post("attachService", "Members", "/v1.1/member/:memberid/register", "Attach a service to a member, or update the one it has", s.registration.Attach, serve.PublicWithBearer, serve.Withheld(registration.Withheld...)),
		serve.Post("loginMember", "Members", "/v1.1/member/login", "Log a member in by a service", s.registration.Login, serve.Public),
		serve.Post("updateMember", "Members", "/v1.1/member/:memberid/update", "Update a member: what is given overwrites", s.profile.Update, serve.Objects("extended"), serve.PublicWithBearer),
		serve.Post("verifyMember", "Members", "/v1.1/member/:memberid/verify", "Mark an address of a member as verified", s.profile.Verify),
		serve.Post("resetMember", "Members", "/v1.1/member/:memberid/reset", "Give a member another password and another access token", s.profile.Reset, serve.Advanced),
		serve.Post("removeService", "Members", "/v1.1/member/:memberid/service/:serviceid/delete", "Remove a service record of a member", s.profile.RemoveService),
		serve.Post("refreshTokens", "Members", "/v1.1/member/:memberid/tokens/refresh", "Ask a member's network for a new token", s.profile.RefreshTokens, serve.Advanced),
		serve.Get("findMember", "Members", "/v1.1/member", "A member, found by a name, with its opt-ins and service records", member.Find, serve.Cached, serve.PublicWithBearer),
		serve.Get("getMember", "Members", "/v1.1/member/:memberid", "A member with its opt-ins and service records", member.Show, serve.Cached, serve.PublicWithBearer),
		serve.Post("deleteMemberActivity", "Members", "/v1.1/member/:memberid/activity/:actionid/delete", "Delete an action of a member: it is in no number and no list any more, and a repeat does not bring it back", members.DeleteAction),
		serve.Get("checkMemberActivity", "Members", "/v1.1/member/:memberid/activity/:activityid", "Whether a member did something: how often, when first and last, and the latest action", members.CheckActivity, serve.Cached),
		serve.Get("listMembers", "Members", "/v1.1/members", "All members, with what they did in the last week; services are those that they hold", member.List, serve.Cached),
		serve.Get("listExtendedMembers", "Members", "/v1.1/members/extended", "Members with their Extended nodes, by what is in these", member.Extended, serve.Cached, serve.ForEditors),
		serve.Get("getMemberTotals", "Members", "/v1.1/members/stats/activity", "Members by the number of their actions", members.Totals, serve.Cached),
		serve.Get("listLoggedInMembers", "Members", "/v1.1/members/login", "Members by their last login; a registration is one", member.LoggedIn, serve.Cached),
		serve.Get("listActiveMembers", "Members", "/v1.1/members/active", "Members by activity", member.Active, serve.Cached),
		serve.Post("optIn", "Members", "/v1.1/optin", "Opt a member in to the global list", member.OptGlobal(members.OptsIn), serve.PublicWithBearer),
		serve.Post("optOut", "Members", "/v1.1/optout", "Opt a member out of the global list", member.OptGlobal(members.OptsOut), serve.PublicWithBearer),
		serve.Post("deleteMember", "Members", "/v1.1/member/:memberid/delete", "Erase a member: nothing of it is left in any number or list, and nothing brings it back", s.erasure.Delete),
		serve.Get("exportMember", "Members", "/v1.1/member/:memberid/export", "Everything held about a member, as lines of JSON", s.export.Member, serve.ForEditors),
		serve.Post("mergeMembers", "Members", "/v1.1/member/:memberid/merge", "Merge a member into another, which stays: from then on the two are one, also in numbers of before", s.merging.Merge),
		serve.Post("unmergeMembers", "Members", "/v1.1/member/:memberid/unmerge", "Take a merge of two members back: every number is as if it had not been", s.merging.Unmerge, serve.Advanced),
	}
}

// webhookOperations are those on webhooks.
func webhookOperations(s *webhooks.Service) []*serve.Operation {
	return []*serve.Operation{
		serve.Get("listWebhooks", "Webhooks", "/v1.1/webhooks", "All webhooks of the account", s.List, serve.Advanced, serve.ForDevelopers),
		serve.Post("createWebhook", "Webhooks", "/v1.1/webhook/create", "Create a webhook: what becomes visible from now on is sent to it", s.Create, serve.Advanced, serve.ForDevelopers),
		serve.Post("testWebhook", "Webhooks", "/v1.1/webhook/:webhookid/test", "Send one event test to a webhook, and answer what became of it", s.Test, serve.Advanced, serve.ForDevelopers),
		serve.Post("editWebhook", "Webhooks", "/v1.1/webhook/:webhookid/edit", "Edit a webhook: what is given overwrites", s.Edit, serve.Advanced, serve.ForDevelopers),
		serve.Post("deleteWebhook", "Webhooks", "/v1.1/webhook/:webhookid/delete", "Delete a webhook, with what of it is not delivered", s.Delete, serve.Advanced, serve.ForDevelopers),
		serve.Get("listDeliveries", "Webhooks", "/v1.1/webhook/:webhookid/deliveries", "The messages of a webhook: those to be delivered, those given up, the last that were delivered", s.Deliveries, serve.Advanced, serve.ForDevelopers),
		serve.Post("redeliver", "Webhooks", "/v1.1/webhook/:webhookid/redeliver", "Send events of a webhook once more, by the ids that they had", s.Redeliver, serve.Advanced, serve.ReadsCursor, serve.ForDevelopers),
	}
}

// accessOperations are those on tokens, on the application of the key and on how often keys were used.
func accessOperations(member *members.Service) []*serve.Operation {
	return []*serve.Operation{
		serve.Get("getAuth", "Auth", "/v1.1/auth", "The member of an access token or of a Bearer", member.Auth, serve.Public, serve.WithBearer, serve.ForEditors),
		serve.Post("authenticate", "Auth", "/v1.1/auth", "The member of an access token or of a Bearer, which stay out of the address", member.Auth, serve.Public, serve.WithBearer),

		serve.Get("getApplication", "Applications", "/v1.1/app/info", "The application of the key", applications.Show, serve.Cached, serve.Public),
		serve.Post("allowDomain", "Applications", "/v1.1/app/allowlist", "Allow pages of a domain to read answers", applications.Allow, serve.Advanced, serve.ForDevelopers),
		serve.Post("whitelistDomain", "Applications", "/v1.1/app/whitelist", "Another path of allowDomain", applications.Allow, serve.Advanced, serve.ForDevelopers),
		serve.Post("unallowDomain", "Applications", "/v1.1/app/unallowlist", "Take a domain from the allowlist", applications.Unallow, serve.Advanced, serve.ForDevelopers),
		serve.Post("unwhitelistDomain", "Applications", "/v1.1/app/unwhitelist", "Another path of unallowDomain", applications.Unallow, serve.Advanced, serve.ForDevelopers),

		serve.Get("getUsage", "Account", "/v1.1/account/usage", "Hits per hour, day or month, of one application or of all", usage.Show),
	}
}
