package api

import (
	"net/http"

	"github.com/ovation-analytics/ovation/api/wire"
)

// Operations are all operations, in the order of the document. The list is made
// anew on each call: an API fills in its own counters.
func Operations() []*Operation {
	return []*Operation{
		get("listBrands", "Brands", "/v1.1/brands", "All brands of the account", listBrands, remembering),
		get("getPopularBrands", "Brands", "/v1.1/brands/crossover", "The most popular brands", crossover, remembering),
		get("getBrandCrossover", "Brands", "/v1.1/brands/:brandid/crossover", "Other brands of a brand's active members", crossover, remembering),
		get("getBrand", "Brands", "/v1.1/brand/:brandid", "One brand", showBrand, remembering),
		get("listBrandActivities", "Brands", "/v1.1/brand/:brandid/activities", "The activity definitions usable for a brand", brandActivities, remembering),
		get("listBrandSegments", "Brands", "/v1.1/brand/:brandid/segments", "A brand's segments", brandSegments, remembering),
		post("createBrand", "Brands", "/v1.1/brand/create", "Create a brand", createBrand, advanced, enterprise(wire.CustomPrefix)),
		post("editBrand", "Brands", "/v1.1/brand/:brandid/edit", "Edit a brand: what is given overwrites", editBrand, advanced, enterprise(wire.CustomPrefix)),
		post("deleteBrand", "Brands", "/v1.1/brand/:brandid/delete", "Delete a brand", deleteBrand, advanced),
		post("optInToBrand", "Brands", "/v1.1/brand/:brandid/optin", "Opt a member in to a brand", optInBrand),
		post("optOutOfBrand", "Brands", "/v1.1/brand/:brandid/optout", "Opt a member out of a brand", optOutBrand),
		get("getBrandActivityStats", "Brands", "/v1.1/brand/:brandID/stats/activity", "Tally of activities", tallyActivities, remembering),
		get("getBrandTimeline", "Brands", "/v1.1/brand/:brandID/stats/timeline", "Activity by day and service", timeline, remembering),
		get("getBrandLocations", "Brands", "/v1.1/brand/:brandID/stats/location", "Activity by country", location, remembering),
		get("getBrandGenders", "Brands", "/v1.1/brand/:brandID/stats/gender", "Activity by gender", genders, remembering),
		get("getBrandAges", "Brands", "/v1.1/brand/:brandID/stats/age", "Activity by age, in whole years on the UTC day of the range's last second", ages, remembering),
		get("getBrandActiveMembers", "Brands", "/v1.1/brand/:brandID/stats/members", "Active members, new and returning: new is whose first action ever for the brand lies in the range", newcomers, remembering),
		get("getBrandSegmentStats", "Brands", "/v1.1/brand/:brandID/stats/segments", "Members and actions of a brand's segments, of all time", segmentStats, remembering),

		get("listActivities", "Activities", "/v1.1/activities", "All activity definitions of the account", listActivities, remembering),
		get("getActivity", "Activities", "/v1.1/activity/:activityid", "One activity definition", showActivity, remembering),
		get("getFeed", "Activities", "/v1.1/activity/feed", "Actions of members, newest first", feed, remembering),
		get("countDaily", "Activities", "/v1.1/activity/count/daily", "Activity by day, of a brand or of all", countDaily, advanced, remembering),
		get("countServices", "Activities", "/v1.1/activity/count/services", "Activity by day and service, of a brand or of all", timeline, advanced, remembering),
		post("createActivity", "Activities", "/v1.1/activity/create", "Create an activity definition", createActivity),
		post("editActivity", "Activities", "/v1.1/activity/:activityid/edit", "Edit an activity definition", editActivity, advanced),
		post("deleteActivity", "Activities", "/v1.1/activity/:activityid/delete", "Delete an activity definition; its actions stay", deleteActivity, advanced),
		post("recordActivity", "Activities", "/v1.1/activity/record", "Record an action of a member", record, advanced,
			objects("content"), answers[wire.FeedItem](http.StatusOK), answers[wire.Accepted](http.StatusAccepted)),
		post("recordActivities", "Activities", "/v1.1/activities/record", "Record many actions: good ones are taken whatever the others are", recordMany, advanced,
			objects("content"), many[actionIn], answers[wire.RecordedMany](http.StatusOK), answers[wire.RecordedMany](http.StatusAccepted)),

		get("listSegments", "Segments", "/v1.1/segments", "All segments of the account", listSegments, remembering),
		get("getSegment", "Segments", "/v1.1/segment/:segmentid", "One segment", showSegment, remembering),
		post("createSegment", "Segments", "/v1.1/segment/create", "Create a segment", createSegment, advanced),
		post("editSegment", "Segments", "/v1.1/segment/:segmentid/edit", "Edit a segment: what is given overwrites", editSegment, advanced),
		post("deleteSegment", "Segments", "/v1.1/segment/:segmentid/delete", "Delete a segment; opt-ins to it end", deleteSegment, advanced),
		post("optInToSegment", "Segments", "/v1.1/segment/:segmentid/optin", "Opt a member in to a segment", optInSegment),
		post("optOutOfSegment", "Segments", "/v1.1/segment/:segmentid/optout", "Opt a member out of a segment", optOutSegment),

		post("registerMember", "Members", "/v1.1/member/register", "Register a member by a service, or meet it again", register),
		post("attachService", "Members", "/v1.1/member/:memberid/register", "Attach a service to a member, or update the one it has", attach),
		get("findMember", "Members", "/v1.1/member", "A member, found by a name, with its opt-ins and service records", findMember, remembering),
		get("getMember", "Members", "/v1.1/member/:memberid", "A member with its opt-ins and service records", showMember, remembering),
		post("deleteMemberActivity", "Members", "/v1.1/member/:memberid/activity/:actionid/delete", "Delete an action of a member: it is in no number and no list any more, and a repeat does not bring it back", deleteAction),
		get("checkMemberActivity", "Members", "/v1.1/member/:memberid/activity/:activityid", "Whether a member did something: how often, when first and last, and the latest action", checkActivity, remembering),
		get("listMembers", "Members", "/v1.1/members", "All members, with what they did in the last week; services are those that they hold", allMembers, remembering),
		get("getMemberTotals", "Members", "/v1.1/members/stats/activity", "Members by the number of their actions", memberTotals, remembering),
		get("listActiveMembers", "Members", "/v1.1/members/active", "Members by activity", activeMembers, remembering),
		post("optIn", "Members", "/v1.1/optin", "Opt a member in to the global list", optInGlobal),
		post("optOut", "Members", "/v1.1/optout", "Opt a member out of the global list", optOutGlobal),
	}
}
