import { Badge, Group } from '@mantine/core';
import type { Model, ModelType } from '../../api/models';
import { KIND_NAMES, kindsOf } from './model-kinds';

const KIND_COLORS: Readonly<Record<ModelType, string>> = {
  chat: 'indigo',
  image: 'grape',
  video: 'teal',
  embedding: 'cyan',
  moderation: 'orange',
  rerank: 'lime',
  speech: 'pink',
  transcription: 'yellow',
};

export function KindBadges({ model }: { model: Model }) {
  return (
    <Group gap={4} component="span">
      {kindsOf(model).map((kind) => (
        <Badge key={kind} variant="light" radius="sm" color={KIND_COLORS[kind]} size="sm">
          {KIND_NAMES[kind]}
        </Badge>
      ))}
    </Group>
  );
}

/** Why a model can't be called; nothing for most models. */
export function StateBadges({ model: { preview, status } }: { model: Model }) {
  return (
    <>
      {preview && (
        <Badge variant="light" color="orange" radius="sm" size="sm">
          Preview
        </Badge>
      )}
      {status !== 'active' && (
        <Badge variant="light" color="red" radius="sm" size="sm">
          {status}
        </Badge>
      )}
    </>
  );
}
