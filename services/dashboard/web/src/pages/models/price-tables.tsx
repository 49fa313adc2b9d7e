import { Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AudioRates, ModelPricing, TokenRates } from '../../api/models';
import { formatCount } from '../../ui/format-count';
import { Money } from '../../ui/money';
import { UNIT_NAMES } from '../../ui/unit-names';

const RATES: readonly (readonly [keyof TokenRates, string])[] = [
  ['input', 'Input'],
  ['output', 'Output'],
  ['cache_read', 'Cache read'],
  ['cache_write', 'Cache write'],
  ['cache_write_1h', 'Cache write, one hour'],
  ['audio_input', 'Audio input'],
  ['audio_cache_read', 'Audio cache read'],
  ['audio_output', 'Audio output'],
];

/** All prices of a model, with their source. */
export function PriceTables({ pricing }: { pricing: ModelPricing }) {
  const { tokens, image, video, audio } = pricing;
  return (
    <Stack>
      {tokens && <TokenPrices tokens={tokens} />}
      {Object.keys(tokens?.units ?? {}).length > 0 && (
        <PriceTable
          title="Per use"
          head={['', 'Price']}
          rows={Object.entries(tokens?.units ?? {}).map(([unit, usd]) => [
            UNIT_NAMES[unit] ?? unit,
            price(usd),
          ])}
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

function TokenPrices({ tokens }: { tokens: NonNullable<ModelPricing['tokens']> }) {
  const { long_context: long, service_tiers } = tokens;
  const plans: readonly (readonly [string, TokenRates])[] = [
    ['Standard', tokens],
    ...(long ? [[`Input above ${formatCount(long.above_tokens)} tokens`, long] as const] : []),
    ...Object.entries(service_tiers).map(([name, rates]) => [`Service tier ${name}`, rates] as const),
  ];
  const rates = RATES.filter(([rate]) => plans.some(([, plan]) => plan[rate] !== undefined));
  return (
    <PriceTable
      title="Per million tokens"
      head={['', ...plans.map(([name]) => name)]}
      rows={rates.map(([rate, name]) => [name, ...plans.map(([, plan]) => price(plan[rate]))])}
    />
  );
}

function ImagePrices({ image }: { image: NonNullable<ModelPricing['image']> }) {
  const byToken: readonly (readonly [string, number | undefined])[] = [
    ['Text input', image.text_input],
    ['Image input', image.image_input],
    ['Image output', image.image_output],
    ['Text output', image.text_output],
  ];
  const tokenRows = byToken.filter(([, usd]) => usd !== undefined).map(([name, usd]) => [name, price(usd)]);
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

const AUDIO_RATES: readonly (readonly [keyof AudioRates, string])[] = [
  ['million_characters', 'Million characters of speech'],
  ['hour', 'Hour of transcribed audio'],
  ['text_input', 'Million tokens of text input'],
  ['audio_input', 'Million tokens of audio input'],
  ['text_output', 'Million tokens of text output'],
  ['audio_output', 'Million tokens of audio output'],
];

function AudioPrices({ audio }: { audio: AudioRates }) {
  const rows = AUDIO_RATES.filter(([rate]) => audio[rate] !== undefined);
  return (
    <PriceTable
      title="Audio"
      head={['', 'Price']}
      rows={rows.map(([rate, name]) => [name, price(audio[rate])])}
    />
  );
}

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
