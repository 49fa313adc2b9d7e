#!/bin/sh
# Streams one chat completion.
curl --silent --show-error --no-buffer --fail-with-body "$GATEWAY_URL/v1/chat/completions" \
  -H "Authorization: Bearer $GATEWAY_API_KEY" -H 'Content-Type: application/json' \
  -d '{"model": "sim/chat", "stream": true, "messages": [{"role": "user", "content": "Hello!"}]}'
