import type { Handmade } from '../../handmade.ts'
import { sseOf } from '../sse-of.ts'
import {
  close,
  counts,
  delta,
  ending,
  event,
  open,
  ping,
  said,
  start,
  streaming,
  text,
  whole,
} from './events.ts'

export const blocks: readonly Handmade[] = [
  {
    name: 'stream: text, then calls in pieces, of which one has no arguments',
    source: streaming,
    stream: true,
    sent: sseOf([
      start,
      ...text(0, 'Let me', ' see.'),
      open(1, { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} }),
      ...['', '{"word": "', 'Gr\u00fc', '\u00dfe \ud83d\ude42"', '}'].map(partial_json =>
        delta(1, { type: 'input_json_delta', partial_json }),
      ),
      close(1),
      ping,
      open(2, { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} }),
      close(2),
      open(3, { type: 'tool_use', id: 'toolu_3', name: 'look_up', input: { word: 'whole' } }),
      close(3),
      ...ending('tool_use'),
    ]),
    expected: {
      choices: [
        {
          text: 'Let me see.',
          calls: [
            { id: 'toolu_1', name: 'look_up', arguments: { word: 'Gr\u00fc\u00dfe \ud83d\ude42' } },
            { id: 'toolu_2', name: 'now', arguments: {} },
            { id: 'toolu_3', name: 'look_up', arguments: { word: 'whole' } },
          ],
          finish: 'tool_calls',
        },
      ],
      usage: counts,
    },
  },
  {
    name: 'stream: what is not known yet is passed over',
    source: `${streaming}, Versioning`,
    stream: true,
    sent: sseOf([
      start,
      event('message_thought_of', { of: { much: true } }),
      open(0, { type: 'hologram', data: 'x' }),
      delta(0, { type: 'hologram_delta', data: 'y' }),
      close(0),
      open(1, { type: 'text', text: 'A' }),
      delta(1, { type: 'gesture_delta', gesture: 'nod' }),
      delta(1, { type: 'text_delta', text: ' word' }),
      close(1),
      start,
      ...ending('end_turn'),
    ]),
    expected: said('A word'),
  },
  {
    name: 'stream: what the vendor looked up is cited',
    source: 'Messages API, Web search tool',
    stream: true,
    sent: sseOf([
      start,
      open(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"query": "x"}' }),
      close(0),
      open(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
      close(1),
      ...text(2, 'It is '),
      open(3, { type: 'text', text: '', citations: [] }),
      delta(3, {
        type: 'citations_delta',
        citation: {
          type: 'web_search_result_location',
          cited_text: '4.0.6 is the current version',
          url: 'https://example.com/releases',
          title: 'Releases',
          encrypted_index: 'Eo8B',
        },
      }),
      delta(3, { type: 'text_delta', text: '4.0' }),
      delta(3, { type: 'text_delta', text: '.6' }),
      close(3),
      ...text(4, '.'),
      ...ending('end_turn'),
    ]),
    expected: {
      choices: [
        {
          text: 'It is 4.0.6.',
          annotations: [
            {
              type: 'url_citation',
              url_citation: {
                start_index: 6,
                end_index: 11,
                title: 'Releases',
                url: 'https://example.com/releases',
              },
            },
          ],
          finish: 'stop',
        },
      ],
      usage: counts,
    },
  },
  {
    name: 'whole: what the vendor looked up is cited',
    source: 'Messages API, Web search tool',
    stream: false,
    sent: whole(
      [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        { type: 'text', text: 'It is ' },
        {
          type: 'text',
          text: '4.0.6',
          citations: [
            {
              type: 'web_search_result_location',
              cited_text: '4.0.6 is the current version',
              url: 'https://example.com/releases',
              title: 'Releases',
              encrypted_index: 'Eo8B',
            },
          ],
        },
        { type: 'text', text: '.' },
      ],
      'end_turn',
    ),
    expected: {
      choices: [
        {
          text: 'It is 4.0.6.',
          annotations: [
            {
              type: 'url_citation',
              url_citation: {
                start_index: 6,
                end_index: 11,
                title: 'Releases',
                url: 'https://example.com/releases',
              },
            },
          ],
          finish: 'stop',
        },
      ],
      usage: counts,
    },
  },
  {
    name: 'stream: thoughts in two blocks, the first in pieces, the second without its text',
    source: 'Messages API, Extended thinking',
    stream: true,
    sent: sseOf([
      start,
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'One' }),
      delta(0, { type: 'thinking_delta', thinking: ' two' }),
      delta(0, { type: 'signature_delta', signature: 'c2lnbmVk' }),
      close(0),
      open(1, { type: 'redacted_thinking', data: 'aGlkZGVu' }),
      close(1),
      open(2, { type: 'tool_use', id: 'toolu_1', name: 'now', input: {} }),
      close(2),
      ...ending('tool_use'),
    ]),
    expected: {
      choices: [
        {
          reasoning: 'One two',
          details: [
            {
              type: 'reasoning.text',
              text: 'One two',
              signature: 'c2lnbmVk',
              format: 'anthropic-claude-v1',
              index: 0,
            },
            { type: 'reasoning.encrypted', data: 'aGlkZGVu', format: 'anthropic-claude-v1', index: 1 },
          ],
          calls: [{ id: 'toolu_1', name: 'now', arguments: {} }],
          finish: 'tool_calls',
        },
      ],
      usage: counts,
    },
  },
]
