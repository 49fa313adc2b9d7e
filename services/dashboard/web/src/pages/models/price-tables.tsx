import {
  AUDIO_RATE_NAMES,
  AUDIO_RATES,
  type AudioRate,
  type AudioRates,
  IMAGE_RATE_NAMES,
  type ListedPricing,
  labelOf,
  TOKEN_RATE_NAMES,
  type TokenRates,
} from '@gateway/pricing';
import { Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../../ui/format-count';
import { Money } from '../../ui/money';

/** All prices of a model, with their source. */
export function PriceTables({ pricing }: { pricing: ListedPricing }) {
  const { tokens, image, video, audio } = pricing;
  return (
    <Stack>
      {tokens && <TokenPrices tokens={tokens} />}
      {Object.keys(tokens?.units ?? {}).length > 0 && (
        <PriceTable
          title="Per use"
          head={['', 'Price']}
          rows={Object.entries(tokens?.units ?? {}).map(([unit, usd]) => [labelOf(unit), price(usd)])}
        />
      )}
      {image && <ImagePrices image={image} />}
      {video && (
        <PriceTable
          title="Per second of video"
          head={['Tier', 'Price']}
          rows={video.tiers.map((tier) => [
            tier === video.default_tier ? `${tier} (default)` : tier,
            price(video.per_second[tier]),
          ])}
        />
      )}
      {audio && <AudioPrices audio={audio} />}
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {pricing.source_date ? `Prices as of ${pricing.source_date}` : 'Price date unknown'}. Source:{' '}
        {pricing.source || 'unknown'}
      </Text>
    </Stack>
  );
}

function TokenPrices({ tokens }: { tokens: NonNullable<ListedPricing['tokens']> }) {
  const { long_context: long, service_tiers } = tokens;
  const plans: readonly (readonly [string, TokenRates<number>])[] = [
    ['Standard', tokens],
    ...(long ? [[`Input above ${formatCount(long.above_tokens)} tokens`, long] as const] : []),
    ...Object.entries(service_tiers).map(([name, rates]) => [`Service tier ${name}`, rates] as const),
  ];
  const rates = TOKEN_RATE_NAMES.filter((rate) => plans.some(([, plan]) => plan[rate] !== undefined));
  return (
    <PriceTable
      title="Per million tokens"
      head={['', ...plans.map(([name]) => name)]}
      rows={rates.map((rate) => [labelOf(rate), ...plans.map(([, plan]) => price(plan[rate]))])}
    />
  );
}

function ImagePrices({ image }: { image: NonNullable<ListedPricing['image']> }) {
  const tokenRows = IMAGE_RATE_NAMES.filter(
    (rate) => rate !== 'input_megapixel' && image[rate] !== undefined,
  ).map((rate) => [labelOf(rate), price(image[rate])]);
  return (
    <>
      {image.per_image.length > 0 && (
        <PriceTable
          title="Per image"
          head={['Size', 'Quality', 'Price']}
          rows={image.per_image.map(({ size, quality, price: usd }) => [
            size || 'Any',
            quality || 'Any',
            price(usd),
          ])}
        />
      )}
      {image.input_megapixel !== undefined && (
        <Text size="sm">
          Plus <Money usd={image.input_megapixel} /> per megapixel of input images.
        </Text>
      )}
      {tokenRows.length > 0 && (
        <PriceTable title="Per million tokens of images and prompts" head={['', 'Price']} rows={tokenRows} />
      )}
    </>
  );
}

function AudioPrices({ audio }: { audio: AudioRates<number> }) {
  const rates = AUDIO_RATE_NAMES.filter((rate) => audio[rate] !== undefined);
  return (
    <PriceTable
      title="Audio"
      head={['', 'Price']}
      rows={rates.map((rate) => [audioLabel(rate), price(audio[rate])])}
    />
  );
}

const audioLabel = (rate: AudioRate): string =>
  'per' in AUDIO_RATES[rate] ? labelOf(rate) : `Million tokens of ${labelOf(rate).toLowerCase()}`;

const price = (usd: number | undefined): ReactNode => (usd === undefined ? '–' : <Money usd={usd} />);

interface PriceTableProps {
  title: string;
  head: readonly string[];
  rows: readonly (readonly ReactNode[])[];
}

/** The last columns are prices. */
function PriceTable({ title, head, rows }: PriceTableProps) {
  const isFigure = (column: number) =>
    column > 0 && !(head.length === 3 && head[1] === 'Quality' && column === 1);
  return (
    <div>
      <Title order={3} size="sm" mb={4}>
        {title}
      </Title>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table aria-label={title} verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              {head.map((name, column) =>
                name === '' ? (
                  <Table.Td key="corner" />
                ) : (
                  <Table.Th key={name} ta={isFigure(column) ? 'right' : 'left'}>
                    {name}
                  </Table.Th>
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((cells, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows don't move.
              <Table.Tr key={row}>
                {cells.map((cell, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: nor do columns.
                  <Table.Td key={column} ta={isFigure(column) ? 'right' : 'left'}>
                    {cell}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </div>
  );
}
