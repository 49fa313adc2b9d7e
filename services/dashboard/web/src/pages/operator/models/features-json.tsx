import { Button, Fieldset, Group, Stack, Text, Textarea } from '@mantine/core';

/** A starting point; the API reports what is missing or wrong. */
const EXAMPLES = {
  image: {
    sizes: ['1024x1024'],
    default_size: '1024x1024',
    qualities: [],
    default_quality: '',
    formats: ['png'],
    max_n: 1,
    max_input_images: 0,
    max_prompt_chars: 4000,
  },
  video: {
    durations: [5, 10],
    default_duration: 5,
    aspect_ratios: ['16:9', '9:16'],
    default_aspect_ratio: '16:9',
    max_reference_images: 0,
    max_prompt_chars: 2000,
    tiers: { '720p': { resolution: '720p', durations: [] } },
  },
} as const;

const TEXTS = {
  image: { legend: 'Images', what: 'Supported sizes, qualities, formats and edits, as JSON.' },
  video: { legend: 'Video', what: 'Supported durations, aspect ratios and tiers, as JSON.' },
} as const;

interface FeaturesJsonProps {
  kind: 'image' | 'video';
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
}

/** JSON of what an image or video model supports. */
export function FeaturesJson({ kind, value, onChange, error }: FeaturesJsonProps) {
  const { legend, what } = TEXTS[kind];
  return (
    <Fieldset legend={legend}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {what} Required: without it, requests to this model are rejected.
          </Text>
          {value.trim() === '' && (
            <Button
              variant="default"
              size="xs"
              onClick={() => onChange(JSON.stringify(EXAMPLES[kind], null, 2))}
            >
              Insert example
            </Button>
          )}
        </Group>
        <Textarea
          aria-label={`${legend}, as JSON`}
          autosize
          minRows={5}
          maxRows={24}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          error={error}
        />
      </Stack>
    </Fieldset>
  );
}
