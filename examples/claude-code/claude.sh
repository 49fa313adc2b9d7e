#!/bin/sh
# Runs Claude Code with models of other providers. The gateway needs their keys: GEMINI_API_KEY, OPENAI_API_KEY.
export ANTHROPIC_BASE_URL="$GATEWAY_URL" ANTHROPIC_API_KEY="$GATEWAY_API_KEY"
export ANTHROPIC_MODEL=google/gemini-3.5-flash
export ANTHROPIC_DEFAULT_OPUS_MODEL=openai/gpt-5.5
export ANTHROPIC_DEFAULT_SONNET_MODEL=google/gemini-3.5-flash
export ANTHROPIC_DEFAULT_HAIKU_MODEL=openai/gpt-5.4-mini
exec claude "$@"
