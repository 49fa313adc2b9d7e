import type { Quirks } from '@gateway/providers';
import { COMPATIBLE_RESPONSES, type OpenAiQuirks } from './quirks';

/** Returns the quirks of a provider as its preset and its operator describe it, where they differ from `base`. */
export function withOperatorQuirks(base: OpenAiQuirks, quirks: Quirks): OpenAiQuirks {
  const { reasoningReplay, documentPart, completions, responses, rerank, ...others } = base;
  const replay = quirks.reasoning_replay ?? reasoningReplay ?? 'none';
  const documents = quirks.documents ?? documentPart ?? 'none';
  const {
    usage_member: usageMember,
    thinking_switch: thinkingSwitch,
    required_tool_choice: requiredToolChoice,
    named_tool_choice: namedToolChoice,
    max_temperature: maxTemperature,
    completions_path: completionsPath = completions?.path ?? 'none',
  } = quirks;
  const asksForUsage = quirks.stream_options ?? base.asksForUsage;
  return {
    ...others,
    maxTokensField: quirks.max_tokens_field ?? base.maxTokensField,
    asksForUsage,
    usage: {
      reasoning: quirks.reasoning_tokens ?? base.usage.reasoning,
      cached: quirks.cached_tokens ?? base.usage.cached,
    },
    thinkTags: quirks.think_tags ?? base.thinkTags,
    stringContent: quirks.string_content ?? base.stringContent,
    developerRole: quirks.developer_role ?? base.developerRole,
    modelsPath: quirks.models_path ?? base.modelsPath,
    embeddings: {
      ...base.embeddings,
      returnsBase64: quirks.embedding_base64 ?? base.embeddings.returnsBase64,
      dimensionsField: quirks.embedding_dimensions_field ?? base.embeddings.dimensionsField,
      acceptsInputType: quirks.embedding_input_type ?? base.embeddings.acceptsInputType,
    },
    unsupportedFields: quirks.dropped_message_fields ?? base.unsupportedFields,
    notWhileThinking: quirks.dropped_while_thinking ?? base.notWhileThinking,
    refusedHints: [
      ...(quirks.dropped_parameters ?? base.refusedHints),
      ...(asksForUsage ? [] : ['stream_options']),
    ],
    ...(replay !== 'none' && { reasoningReplay: replay }),
    ...(documents !== 'none' && { documentPart: documents }),
    ...((quirks.responses ?? responses) && { responses: responses ?? COMPATIBLE_RESPONSES }),
    ...(completions &&
      completionsPath !== 'none' && { completions: { ...completions, path: completionsPath } }),
    ...(rerank && {
      rerank: {
        ...rerank,
        path: quirks.rerank_path ?? rerank.path,
        topField: quirks.rerank_top_field ?? rerank.topField,
      },
    }),
    ...(usageMember && { usageMember }),
    ...(thinkingSwitch && { thinkingSwitch }),
    ...(requiredToolChoice && { requiredToolChoice }),
    ...(namedToolChoice && { namedToolChoice }),
    ...(maxTemperature !== undefined && { maxTemperature }),
  };
}
