// Package config is how a node runs: its flags, with their variables of the environment, the file of --config and the
// defaults, and what the files that they name hold.
//
//	Config         of a node, the same for serve and demo. Its parts, which other commands have as well:
//	  KafkaAccess    TLS, user and password that brokers want
//	  AdminPort      where the admin port is and what opens it
//	  PublicPort     certificate, access log, locations, drain of the API's port
//	  BehindProxy    where a client's address comes from
//	  Traces         where spans go and of how much
//	  PrivateFiles   files that only their owner may read
//	File           the YAML file of --config: a flag outranks the environment, that the file, and that the default
//
// Validate reads no file; what the values name is opened by the methods for it, whose errors begin with the flag. No
// error quotes a secret. kong fills in the values; the package starts nothing and writes nothing.
package config
