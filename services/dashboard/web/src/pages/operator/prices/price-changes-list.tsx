import { List, Stack, Text } from '@mantine/core';
import { formatMoneyExact } from '../../../ui/format-money';
import { type PriceChange, pointOut } from './price-changes';

interface PriceChangesListProps {
  changes: readonly PriceChange[];
  /** There were no prices before. */
  isNew?: boolean;
}

/** Changed prices, for review before saving. */
export function PriceChangesList({ changes, isNew = false }: PriceChangesListProps) {
  if (changes.length === 0) {
    return <Text size="sm">Prices are unchanged; only their source and date are updated.</Text>;
  }
  return (
    <Stack gap="xs">
      <List size="sm">
        {changes.map((change) => (
          <List.Item key={change.what}>
            {change.what}: {!isNew && `${money(change.before)} → `}
            <strong>{money(change.after)}</strong> {change.after !== undefined && change.unit}
            <PointedOut words={pointOut(change)} />
          </List.Item>
        ))}
      </List>
      {!isNew && (
        <Text size="sm" c="dimmed">
          In-flight requests keep their prices.
        </Text>
      )}
    </Stack>
  );
}

function PointedOut({ words }: { words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <Text component="strong" inherit fw={700} c="var(--mantine-color-error)" display="block">
      {words.charAt(0).toUpperCase()}
      {words.slice(1)}. Is this intended?
    </Text>
  );
}

const money = (usd: number | undefined): string => (usd === undefined ? 'no price' : formatMoneyExact(usd));
