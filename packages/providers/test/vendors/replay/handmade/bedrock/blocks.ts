import { eventFrame, frame } from '../../event-frames.ts'
import type { Handmade } from '../../handmade.ts'
import {
  close,
  counts,
  delta,
  ending,
  open,
  said,
  spent,
  start,
  streaming,
  streamOf,
  text,
  whole,
} from './frames.ts'

const cached = { ...spent, cacheReadInputTokens: 7351, cacheWriteInputTokens: 20, totalTokens: 7389 }
const signed = { text: 'One two', signature: 'c2lnbmVk' }
const detailed = {
  choices: [
    {
      text: 'Three',
      reasoning: 'One two',
      details: [{ type: 'reasoning.text', ...signed, format: 'anthropic-claude-v1', index: 0 }],
      finish: 'stop',
    },
  ],
  usage: counts,
}

export const blocks: readonly Handmade[] = [
  {
    name: 'whole: thoughts, signed',
    source: 'Converse API, ReasoningContentBlock',
    stream: false,
    sent: whole([{ reasoningContent: { reasoningText: signed } }, { text: 'Three' }], 'end_turn'),
    expected: detailed,
  },
  {
    name: 'stream: thoughts, signed',
    source: 'ConverseStream API, ReasoningContentBlockDelta',
    stream: true,
    sent: streamOf([
      start,
      delta(0, { reasoningContent: { text: 'One' } }),
      delta(0, { reasoningContent: { text: ' two' } }),
      delta(0, { reasoningContent: { signature: 'c2lnbmVk' } }),
      close(0),
      ...text(1, 'Three'),
      ...ending('end_turn'),
    ]),
    expected: detailed,
  },
  {
    name: 'whole: thoughts without a signature',
    source: 'Converse API, ReasoningContentBlock',
    stream: false,
    sent: whole(
      [{ reasoningContent: { reasoningText: { text: 'One two' } } }, { text: 'Three' }],
      'end_turn',
    ),
    expected: { choices: [{ text: 'Three', reasoning: 'One two', finish: 'stop' }], usage: counts },
  },
  {
    name: 'whole: a call beside text',
    source: 'Converse API, ToolUseBlock',
    stream: false,
    sent: whole(
      [
        { text: 'Let me see.' },
        { toolUse: { toolUseId: 'tooluse_1', name: 'look_up', input: { word: 'Grüße 🙂', of: [1, null] } } },
        { toolUse: { toolUseId: 'tooluse_2', name: 'now' } },
      ],
      'tool_use',
    ),
    expected: {
      choices: [
        {
          text: 'Let me see.',
          calls: [
            { id: 'tooluse_1', name: 'look_up', arguments: { word: 'Grüße 🙂', of: [1, null] } },
            { id: 'tooluse_2', name: 'now', arguments: {} },
          ],
          finish: 'tool_calls',
        },
      ],
      usage: counts,
    },
  },
  {
    name: 'stream: text, then calls in pieces, of which one has no arguments',
    source: 'ConverseStream API, ToolUseBlockDelta',
    stream: true,
    sent: streamOf([
      start,
      ...text(0, 'Let me', '', ' see.'),
      open(1, { toolUse: { toolUseId: 'tooluse_1', name: 'look_up' } }),
      ...['{"word": "', 'Grü', 'ße 🙂"', '}'].map(input => delta(1, { toolUse: { input } })),
      close(1),
      open(2, { toolUse: { toolUseId: 'tooluse_2', name: 'now' } }),
      close(2),
      open(3, { toolUse: { toolUseId: 'tooluse_3', name: 'now' } }),
      delta(3, { toolUse: { input: '' } }),
      close(3),
      ...ending('tool_use'),
    ]),
    expected: {
      choices: [
        {
          text: 'Let me see.',
          calls: [
            { id: 'tooluse_1', name: 'look_up', arguments: { word: 'Grüße 🙂' } },
            { id: 'tooluse_2', name: 'now', arguments: {} },
            { id: 'tooluse_3', name: 'now', arguments: {} },
          ],
          finish: 'tool_calls',
        },
      ],
      usage: counts,
    },
  },
  {
    name: 'stream: what is not known yet is passed over',
    source: streaming,
    stream: true,
    sent: streamOf([
      frame({ ':event-type': 'initial-response', ':message-type': 'event' }, {}),
      start,
      eventFrame('hologram', { data: 'x' }),
      open(0, { hologram: { name: 'x' } }),
      delta(0, { hologram: [{ x: 1 }] }),
      close(0),
      delta(1, { text: 'A' }),
      delta(1, { gesture: 'nod' }),
      delta(1, { text: ' word' }),
      close(1),
      ...ending('end_turn'),
    ]),
    expected: said('A word'),
  },
  {
    name: 'stream: counts of a cache',
    source: 'Converse API, TokenUsage',
    stream: true,
    sent: streamOf([start, ...text(0, 'A word'), ...ending('end_turn', cached)]),
    expected: {
      choices: [{ text: 'A word', finish: 'stop' }],
      usage: { prompt: 7382, completion: 7, cached: 7351, cacheWrite: 20 },
    },
  },
  {
    name: 'whole: counts of a cache',
    source: 'Converse API, TokenUsage',
    stream: false,
    sent: whole([{ text: 'A word' }], 'end_turn', cached),
    expected: {
      choices: [{ text: 'A word', finish: 'stop' }],
      usage: { prompt: 7382, completion: 7, cached: 7351, cacheWrite: 20 },
    },
  },
]
