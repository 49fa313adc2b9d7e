import { NumberInput, Paper, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { ChatComposer } from './chat-composer';
import { ChatMessages } from './chat-messages';
import { Pickers } from './pickers';
import type { Ready } from './playground-gate';
import { type ChatSettings, useChat } from './use-chat';
import { useFollowEnd } from './use-follow-end';

const MAX_TEMPERATURE = 2;

export function ChatPanel({ ready }: { ready: Ready }) {
  const { key, model } = ready;
  const chat = useChat();
  useFollowEnd(chat.turns);
  const [system, setSystem] = useState('');
  const [maxTokens, setMaxTokens] = useState<number | string>('');
  const [temperature, setTemperature] = useState<number | string>('');
  const settings: ChatSettings = {
    key_id: key.id,
    model: model.slug,
    system,
    ...(typeof maxTokens === 'number' && { max_tokens: maxTokens }),
    ...(typeof temperature === 'number' && { temperature }),
  };
  return (
    <Stack>
      <Paper withBorder p="md">
        <Stack gap="sm">
          <Pickers choices={ready} disabled={chat.isBusy} />
          <Textarea
            label="System prompt"
            placeholder="None"
            value={system}
            onChange={({ currentTarget }) => setSystem(currentTarget.value)}
            autosize
            minRows={1}
            maxRows={6}
          />
          <SimpleGrid cols={2} spacing="sm">
            <NumberInput
              label="Max tokens"
              placeholder="Default"
              value={maxTokens}
              onChange={setMaxTokens}
              min={1}
              max={model.max_output_tokens || undefined}
              allowDecimal={false}
            />
            <NumberInput
              label="Temperature"
              placeholder="Default"
              value={temperature}
              onChange={setTemperature}
              min={0}
              max={MAX_TEMPERATURE}
              step={0.1}
              decimalScale={2}
            />
          </SimpleGrid>
        </Stack>
      </Paper>
      {chat.turns.length > 0 ? (
        <ChatMessages turns={chat.turns} onAgain={() => chat.askAgain(settings)} />
      ) : (
        <Text size="sm" c="dimmed" ta="center" py="md">
          Conversations aren’t saved: the gateway stores no prompts or replies.
        </Text>
      )}
      <ChatComposer
        isBusy={chat.isBusy}
        canClear={chat.turns.length > 0}
        onSend={(text) => void chat.ask(text, settings)}
        onStop={chat.stop}
        onClear={chat.clear}
      />
    </Stack>
  );
}
