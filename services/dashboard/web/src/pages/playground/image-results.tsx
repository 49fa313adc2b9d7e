import { Anchor, Button, Group, Image, Paper, SimpleGrid, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { CallCost } from './call-cost';
import { type ImageCall, toShownImage } from './image-order';

/** The images of one call, and what it cost. */
export function ImageResults({ call: { request, made } }: { call: ImageCall }) {
  return (
    <Paper withBorder p="md" component="section" aria-label="Images made">
      <Text size="sm" lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
        {request.prompt}
      </Text>
      <Group gap={6} mt={2} mb="sm">
        <Text span size="xs" c="dimmed">
          {[request.model, request.size, request.quality].filter(Boolean).join(' · ')}
        </Text>
        {made.requestId && <CallCost requestId={made.requestId} keyId={request.key_id} />}
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {made.data.map((data, index) => (
          <Result
            key={data.b64_json ?? data.url}
            data={data}
            name={`image-${index + 1}`}
            alt={`${request.prompt} (${index + 1} of ${made.data.length})`}
          />
        ))}
      </SimpleGrid>
    </Paper>
  );
}

interface ResultProps {
  data: ImageCall['made']['data'][number];
  name: string;
  alt: string;
}

function Result({ data, name, alt }: ResultProps) {
  const shown = toShownImage(data);
  if (!shown) {
    return (
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {data.url ?? 'No picture came.'}
      </Text>
    );
  }
  const isLink = shown.src.startsWith('https:');
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
        <Button
          component="a"
          href={shown.src}
          download={`${name}.${shown.extension}`}
          variant="default"
          size="xs"
          mt={6}
          leftSection={<Download size={14} aria-hidden />}
        >
          Download
        </Button>
      )}
    </div>
  );
}
