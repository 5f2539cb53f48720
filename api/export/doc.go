// Package export answers everything that is held about a member, as lines of JSON that are made
// while they are sent.
//
//	{"type":"member",…}               as member show has it, with Extended and service records
//	{"type":"profile",…}              its profile, in the parameters of member/update
//	{"type":"service",…}              a service record, in those of members/register; a further line
//	                                  for each further domain that it registered on
//	{"type":"optin",…}                a list that it is or was on, in the order of their ids
//	{"type":"visit",…}                a registration or a login, the oldest first
//	{"type":"ovation.activity.v1",…}  an action, the oldest first: a record of the public topic, with
//	                                  the item of the feed, and what makes its definition and brand
//	{"type":"sharing",…}              a service record that shares nothing any more, in the parameters
//	                                  of members/register
//	{"type":"end",…}                  the number of lines of each type; without it the export is not whole
//
// No password and no hash of one is in a line. Actions that were deleted, and repeats of a one-time
// action, are not there.
//
// # Import
//
// Into another installation: post the service lines to members/register, for an email address with
// its password_hash; each further line of a member with the id that the first was answered with. Then
// `ovation collect file --create` with the mapping cmd/ovation/collect/mappings/ovation-export.yaml takes the
// file as it is: it publishes the actions, and makes brands and definitions that are missing. The sharing
// lines are posted last: their members' actions would be refused else. Feed and statistics of
// activity are the same then, but for ids, times of recording, the spelling of a type that definitions
// spell in several ways, and what was changed since in the catalog: points and services of a
// definition, brands and definitions that were deleted. Profile lines can be posted to member/update,
// opt-ins to optin. Visits are not imported.
//
// An action names its member by the first network that it has a record of, else by a partner's id.
// For a member that has neither, which is one by email alone, the service line has a partner's id
// that is the UUID of the member. The id of an action's record is made of UUID and action: it counts
// once however often it is published. Where it came from it has another one, and would count again.
//
// # Order
//
// Visits and actions are read in pages by (time, id), so that one whose place stays is met exactly
// once while data arrives, and never more than a page is in memory. The lines are not of one moment:
// what is accepted meanwhile may be there. A member that is erased meanwhile ends the stream without
// its end.
//
// A handler runs on the goroutine of its request; a Service may be called by any.
package export
