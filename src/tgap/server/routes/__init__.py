"""The routes, by what they need: answers walk the graph, lookups read what is stored, system tells of the server."""
