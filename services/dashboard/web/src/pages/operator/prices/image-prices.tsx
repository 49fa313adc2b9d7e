import { IMAGE_RATE_NAMES } from '@gateway/pricing';
import { Button, Fieldset, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type Problems, problemsAt } from '../models/problems';
import { RemoveRow } from '../models/remove-row';
import { PriceInput } from './price-input';
import { newImagePrice, type PricesDraft } from './prices-draft';
import { RatesFields } from './rates-fields';

const MEGAPIXEL_RATE = 'input_megapixel';

interface ImagePricesProps {
  draft: PricesDraft;
  onChange: (draft: PricesDraft) => void;
  problems: Problems;
}

/** The rates of tokens; the other one has a field beside the prices per image. */
const TOKEN_RATES = IMAGE_RATE_NAMES.filter((name) => name !== MEGAPIXEL_RATE);

/** By size and quality, or by tokens. */
export function ImagePrices({ draft, onChange, problems }: ImagePricesProps) {
  const { images, imageRates } = draft;
  const change = (id: string, field: Partial<(typeof images)[number]>) =>
    onChange({ ...draft, images: images.map((one) => (one.id === id ? { ...one, ...field } : one)) });
  return (
    <Fieldset legend="Images">
      <Stack>
        <Text size="sm" c="dimmed">
          USD per image, by size and quality. Leave empty to match any. Alternatively set token prices below.
        </Text>
        {images.map(({ id, size, quality, price }, index) => {
          const path = `pricing.image.per_image.${index}`;
          return (
            <RemoveRow
              key={id}
              label={`Remove price ${index + 1}`}
              onRemove={() => onChange({ ...draft, images: images.filter((one) => one.id !== id) })}
            >
              <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
                <TextInput
                  label="Size"
                  placeholder="Any"
                  value={size}
                  onChange={(event) => change(id, { size: event.currentTarget.value })}
                  error={problemsAt(problems, `${path}.size`)}
                />
                <TextInput
                  label="Quality"
                  placeholder="Any"
                  value={quality}
                  onChange={(event) => change(id, { quality: event.currentTarget.value })}
                  error={problemsAt(problems, `${path}.quality`)}
                />
                <PriceInput
                  label="Price"
                  value={price}
                  onChange={(text) => change(id, { price: text })}
                  error={problemsAt(problems, `${path}.price`)}
                />
              </SimpleGrid>
            </RemoveRow>
          );
        })}
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => onChange({ ...draft, images: [...images, newImagePrice()] })}
          >
            Price per image
          </Button>
        </div>
        <PriceInput
          label="Plus, per megapixel of input images"
          value={imageRates[MEGAPIXEL_RATE] ?? ''}
          onChange={(text) => onChange({ ...draft, imageRates: { ...imageRates, [MEGAPIXEL_RATE]: text } })}
          error={problemsAt(problems, `pricing.image.${MEGAPIXEL_RATE}`)}
        />
        <RatesFields
          legend="By tokens, USD per million"
          names={TOKEN_RATES}
          rates={imageRates}
          onChange={(rates) => onChange({ ...draft, imageRates: rates })}
          problems={problems}
          path="pricing.image"
        />
      </Stack>
    </Fieldset>
  );
}
