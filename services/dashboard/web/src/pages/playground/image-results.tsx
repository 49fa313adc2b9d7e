import { Anchor, Button, Group, Image, Paper, SimpleGrid, Text } from '@mantine/core';
import { Download, Pencil } from 'lucide-react';
import { CallCost } from './call-cost';
import { type ImageCall, toFile, toShownImage } from './image-generation';

/** Enough of a prompt to tell requests apart. */
const MAX_LABEL = 80;

interface ImageResultsProps {
  call: ImageCall;
  /** Number of the request on this page, which distinguishes requests with the same prompt. */
  number: number;
  /** Present if the selected model edits images. */
  onEdit: ((file: File) => void) | undefined;
}

/** Images of one request, and its cost. */
export function ImageResults({ call: { request, edited, result }, number, onEdit }: ImageResultsProps) {
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      aria-label={`Generated images, ${number}: ${request.prompt.slice(0, MAX_LABEL)}`}
    >
      <Text size="sm" lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
        {request.prompt}
      </Text>
      <Group gap={6} mt={2} mb="sm">
        <Text span size="xs" c="dimmed">
          {[request.model, request.size, request.quality, editedNote(edited)].filter(Boolean).join(' · ')}
          {result.requestId && ' ·'}
        </Text>
        {result.requestId && <CallCost requestId={result.requestId} keyId={request.key_id} />}
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {result.data.map((data, index) => (
          <Result
            key={data.b64_json ?? data.url}
            data={data}
            name={`image-${index + 1}`}
            alt={`${request.prompt} (${index + 1} of ${result.data.length})`}
            onEdit={onEdit}
          />
        ))}
      </SimpleGrid>
    </Paper>
  );
}

const editedNote = ([first, ...more]: readonly string[]): string =>
  first === undefined ? '' : `edit of ${first}${more.length > 0 ? ` and ${more.length} more` : ''}`;

interface ResultProps {
  data: ImageCall['result']['data'][number];
  name: string;
  alt: string;
  onEdit: ((file: File) => void) | undefined;
}

function Result({ data, name, alt, onEdit }: ResultProps) {
  const shown = toShownImage(data);
  if (!shown) {
    return (
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {data.url ?? 'No image was returned.'}
      </Text>
    );
  }
  const isLink = shown.src.startsWith('https:');
  const edit = () => {
    const file = toFile(shown, name);
    if (file) onEdit?.(file);
  };
  return (
    <div>
      <Image
        src={shown.src}
        alt={alt}
        radius="md"
        fit="contain"
        mah={420}
        bg="var(--mantine-color-default-hover)"
      />
      {isLink ? (
        <Anchor href={shown.src} target="_blank" rel="noopener noreferrer" size="sm" underline="always">
          Open the image
        </Anchor>
      ) : (
        <Group gap="xs" mt={6}>
          <Button
            component="a"
            href={shown.src}
            download={`${name}.${shown.extension}`}
            variant="default"
            size="xs"
            leftSection={<Download size={14} aria-hidden />}
          >
            Download
          </Button>
          {onEdit && (
            <Button
              variant="subtle"
              size="xs"
              leftSection={<Pencil size={14} aria-hidden />}
              aria-label={`Edit ${name}`}
              onClick={edit}
            >
              Edit
            </Button>
          )}
        </Group>
      )}
    </div>
  );
}
