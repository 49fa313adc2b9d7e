import { Button, Group, Textarea } from '@mantine/core';
import { Send, Square, Trash2 } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';

interface ChatComposerProps {
  isBusy: boolean;
  canClear: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
  onClear: () => void;
}

/** Enter sends; Shift+Enter inserts a line break. */
export function ChatComposer({ isBusy, canClear, onSend, onStop, onClear }: ChatComposerProps) {
  const [text, setText] = useState('');
  const isEmpty = text.trim() === '';
  const send = () => {
    if (isBusy || isEmpty) return;
    onSend(text);
    setText('');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form onSubmit={submit}>
      <Textarea
        label="Message"
        placeholder="Ask something. Press Enter to send, Shift + Enter for a new line."
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={press}
        autosize
        minRows={2}
        maxRows={10}
      />
      <Group justify="space-between" mt="xs">
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          leftSection={<Trash2 size={14} aria-hidden />}
          onClick={onClear}
          disabled={!canClear}
        >
          New conversation
        </Button>
        {isBusy ? (
          <Button color="red" variant="light" leftSection={<Square size={14} aria-hidden />} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" disabled={isEmpty} leftSection={<Send size={14} aria-hidden />}>
            Send
          </Button>
        )}
      </Group>
    </form>
  );
}
