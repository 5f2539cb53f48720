package main

// overview is how activities, commands and questions go through a node.
func overview() *drawing {
	d := &drawing{
		width: 880, height: 430,
		title: "How Ovation works",
		text: "Collectors publish to the topic activities; a router appends to the journal; the API appends commands. " +
			"A shard actor reads its partition, applies each record by member and brand actors and commits state, offset " +
			"and outbox in one Pebble batch. Questions are asked of every shard and merged.",
	}
	d.box(outside, 20, 30, 150, 64, "Collectors", "any Kafka client")
	d.box(outside, 20, 226, 150, 64, "Applications", "register, record")
	d.box(outside, 20, 330, 150, 64, "Dashboards", "ask, poll, page")

	d.box(topic, 220, 30, 150, 64, "activities", "Kafka topic")
	d.box(actor, 420, 30, 150, 64, "Router", "decode, append")
	d.box(topic, 420, 128, 150, 64, "journal", "partition p")
	d.box(part, 220, 226, 150, 64, "API: commands", "append, await")
	d.box(part, 220, 330, 150, 64, "API: questions", "ask, merge, render")
	d.box(topic, 640, 30, 220, 64, "dead-letters", "refused, with the reason")

	d.box(frame, 620, 128, 240, 282, "Shard actor p", "recover, catch up, serve")
	d.box(actor, 636, 184, 208, 56, "Member actors", "timeline, duplicates")
	d.box(actor, 636, 252, 208, 56, "Brand actors", "columns, counts, scores")
	d.box(store, 636, 336, 208, 60, "Pebble, one batch", "state + offset + outbox")

	d.arrow("", point{170, 62}, point{220, 62})
	d.arrow("", point{370, 62}, point{420, 62})
	d.arrow("", point{495, 94}, point{495, 128})
	d.arrow("", point{170, 258}, point{220, 258})
	d.arrow("", point{170, 362}, point{220, 362})
	d.arrow("command", point{370, 258}, point{470, 258}, point{470, 192})
	d.arrow("record", point{570, 160}, point{620, 160})
	d.arrow("ask every shard", point{370, 350}, point{620, 350})
	d.arrow("partial answer", point{620, 376}, point{370, 376})
	d.arrow("commit", point{740, 308}, point{740, 336})
	d.arrow("outbox", point{620, 290}, point{540, 290}, point{540, 192})
	d.arrow("", point{740, 128}, point{740, 94})
	return d
}
