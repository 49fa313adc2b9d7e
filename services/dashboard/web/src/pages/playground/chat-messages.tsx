import { Box, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { CopyButton } from '../../ui/copy-button';
import { formatCount } from '../../ui/format-count';
import { CallCost } from './call-cost';
import { CallError } from './call-error';
import classes from './chat-messages.module.css';
import { type ChatTurn, isInProgress } from './chat-turn';
import { ReplyText } from './reply-text';
import { Waiting } from './waiting';

interface ChatMessagesProps {
  turns: readonly ChatTurn[];
  onAgain: () => void;
}

export function ChatMessages({ turns, onAgain }: ChatMessagesProps) {
  const last = turns.at(-1);
  return (
    <Stack gap="lg" component="section" aria-label="Conversation" className={classes.conversation}>
      <VisuallyHidden component="h2">Conversation</VisuallyHidden>
      {turns.map((turn) => (
        <Turn key={turn.id} turn={turn} onAgain={turn === last ? onAgain : undefined} />
      ))}
      <VisuallyHidden role="status">
        {last && last.state === 'done' && 'The reply is complete.'}
      </VisuallyHidden>
    </Stack>
  );
}

function Turn({ turn, onAgain }: { turn: ChatTurn; onAgain?: () => void }) {
  const { question, text, reasoning, state, startedMs, error, keyId } = turn;
  return (
    <>
      <div className={classes.question}>
        <VisuallyHidden>You: </VisuallyHidden>
        {question}
      </div>
      <Box aria-busy={isInProgress(turn)}>
        <VisuallyHidden>{turn.model}: </VisuallyHidden>
        {reasoning && (
          <details className={classes.thinking}>
            <summary>Thinking</summary>
            <div>{reasoning}</div>
          </details>
        )}
        {text && <ReplyText text={text} />}
        {isInProgress(turn) && !text && (
          <Waiting
            label={reasoning ? 'The model is thinking' : 'Waiting for the reply'}
            startedMs={startedMs}
          />
        )}
        {state === 'failed' && (
          <Box mt={text ? 'sm' : 0}>
            <CallError
              error={error}
              title="Request failed"
              keyId={keyId}
              model={turn.model}
              onRetry={onAgain}
            />
          </Box>
        )}
        {!isInProgress(turn) && (text || state !== 'failed') && <Footer turn={turn} />}
      </Box>
    </>
  );
}

const ENDS: Readonly<Record<string, string>> = {
  length: 'truncated at the maximum output',
  content_filter: 'stopped by a content filter',
  tool_calls: 'requested a tool call',
};

/** Usage and cost of the reply. */
function Footer({ turn: { model, keyId, state, text, usage, requestId, finishReason } }: { turn: ChatTurn }) {
  const notes = [
    model,
    ...(state === 'stopped' ? ['stopped'] : []),
    ...(finishReason && ENDS[finishReason] ? [ENDS[finishReason]] : []),
    ...(usage
      ? [`${formatCount(usage.prompt_tokens)} → ${formatCount(usage.completion_tokens)} tokens`]
      : []),
  ];
  return (
    <Group gap={6} mt={6}>
      <Text span size="xs" c="dimmed">
        {notes.join(' · ')}
        {requestId && ' ·'}
      </Text>
      {requestId && <CallCost requestId={requestId} keyId={keyId} />}
      {text && <CopyButton value={text} label="Copy reply" />}
    </Group>
  );
}
