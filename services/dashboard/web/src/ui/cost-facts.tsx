import { Group, Paper, Text, Title } from '@mantine/core';
import type { RequestRecord } from '../api/requests';
import { type Fact, Facts } from './facts';
import { formatCount } from './format-count';
import { formatMoneyExact } from './format-money';

interface CostRecord extends Omit<RequestRecord, 'key_id'> {
  /** For operators: what the provider charges; null or absent: not known. */
  readonly provider_cost?: number | null;
}

/** Usage by kind, and the exact cost. */
export function CostFacts({ record }: { record: CostRecord }) {
  const facts = usageFacts(record);
  const { in_progress, cost, held } = record;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Cost
        </Title>
        <Text fw={600}>{in_progress ? `${formatMoneyExact(held)} reserved` : formatMoneyExact(cost)}</Text>
      </Group>
      {facts.length > 0 ? (
        <Facts facts={facts} />
      ) : (
        <Text size="sm" c="dimmed">
          {in_progress
            ? 'The maximum cost is reserved. The actual cost is charged when the video completes; if it fails, the reserved funds are released.'
            : 'Nothing was used or charged.'}
        </Text>
      )}
    </Paper>
  );
}

function usageFacts(record: CostRecord): Fact[] {
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens } = record;
  const { units, images, seconds, cost, provider_cost } = record;
  const isCostKnown = typeof provider_cost === 'number';
  const hasTokens = input_tokens + output_tokens > 0;
  const some = (count: number) => (count > 0 ? formatCount(count) : null);
  return [
    ['Input tokens', hasTokens ? formatCount(input_tokens) : null],
    ['Cache read tokens', some(cache_read_tokens)],
    ['Cache write tokens', some(cache_write_tokens)],
    ['Output tokens', hasTokens ? formatCount(output_tokens) : null],
    ['Reasoning tokens', some(reasoning_tokens)],
    ['Web searches', some(units.web_search ?? 0)],
    ['Rerank searches', some(units.search_unit ?? 0)],
    ['Characters of speech', some(units.character ?? 0)],
    ['Seconds of audio', some(units.audio_second ?? 0)],
    ['Images', some(images)],
    ['Seconds of video', some(seconds)],
    ['Charged by the provider', isCostKnown ? formatMoneyExact(provider_cost) : null],
    ['Margin', isCostKnown ? formatMoneyExact(cost - provider_cost) : null],
  ].filter((fact): fact is [string, string] => fact[1] !== null);
}
