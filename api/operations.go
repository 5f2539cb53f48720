package api

import (
	"net/http"

	"github.com/ovation-analytics/ovation/api/wire"
)

// Operations are all operations, in the order of the document. The list is made
// anew on each call: an API fills in its own counters.
func Operations() []*Operation {
	return []*Operation{
		get("Brands", "/v1.1/brands", "All brands of the account", listBrands),
		get("Brands", "/v1.1/brand/:brandid", "One brand", showBrand),
		post("Brands", "/v1.1/brand/create", "Create a brand", createBrand, advanced, enterprise(wire.CustomPrefix)),
		post("Brands", "/v1.1/brand/:brandid/edit", "Edit a brand: what is given overwrites", editBrand, advanced, enterprise(wire.CustomPrefix)),
		post("Brands", "/v1.1/brand/:brandid/delete", "Delete a brand", deleteBrand, advanced),
		get("Brands", "/v1.1/brand/:brandID/stats/activity", "Tally of activities", tallyActivities),
		get("Brands", "/v1.1/brand/:brandID/stats/timeline", "Activity by day and service", timeline),

		get("Activities", "/v1.1/activities", "All activity definitions of the account", listActivities),
		get("Activities", "/v1.1/activity/:activityid", "One activity definition", showActivity),
		post("Activities", "/v1.1/activity/create", "Create an activity definition", createActivity),
		post("Activities", "/v1.1/activity/:activityid/edit", "Edit an activity definition", editActivity, advanced),
		post("Activities", "/v1.1/activity/:activityid/delete", "Delete an activity definition; its actions stay", deleteActivity, advanced),
		post("Activities", "/v1.1/activity/record", "Record an action of a member", record, advanced,
			objects("content"), answers[wire.FeedItem](http.StatusOK), answers[wire.Accepted](http.StatusAccepted)),

		post("Members", "/v1.1/member/register", "Register a member by a social service, or meet it again", register),
		get("Members", "/v1.1/member/:memberid", "A member with its service records", showMember),
	}
}
