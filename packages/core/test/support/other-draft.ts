import type { Draft } from '../../src/contracts/draft.ts'
import type { Outline } from '../../src/contracts/outline.ts'

const outline: Outline = {
  stream: false,
  user: undefined,
  conversationKey: undefined,
  hasTools: false,
  media: [],
  promptTokens: undefined,
  choices: 1,
  maxOutputTokens: undefined,
  hasAudio: false,
  wantsAudio: false,
  serviceTier: undefined,
  searchesWeb: false,
}

/**
 * The draft of a protocol that exists nowhere. Its body says the opposite of its outline in the fields of chat completions, so
 * that a test fails where somebody reads the body.
 */
export function otherDraft(
  known: Partial<Outline> = {},
  { operation = 'generate', bytes = 300 }: Partial<Pick<Draft, 'operation' | 'bytes'>> = {},
): Draft {
  const body = {
    model: 'not-m',
    stream: known.stream !== true,
    user: 'user of chat',
    prompt_cache_key: 'key of chat',
    tools: known.hasTools === true ? [] : [{}],
    n: 7,
    max_tokens: 77_777,
    modalities: known.wantsAudio === true ? ['text'] : ['audio'],
    service_tier: 'priority',
    web_search_options: known.searchesWeb === true ? null : {},
    messages:
      (known.media ?? []).length > 0
        ? []
        : [{ content: [{ type: 'image_url' }, { type: 'input_audio' }, { type: 'file' }] }],
  }
  return { dialect: 'other', operation, model: 'm', body, bytes, outline: { ...outline, ...known } }
}
