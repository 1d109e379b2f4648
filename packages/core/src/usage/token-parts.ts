import type { Usage } from '../protocol/chat.ts'

/** The tokens of a usage, each in one part only. */
export interface TokenParts {
  /** Input that is none of the others. */
  readonly text: number
  readonly cached: number
  readonly written: number
  readonly audio: number
  /** Output that is no audio. */
  readonly answer: number
  readonly spoken: number
}

/** Takes the counts apart. A vendor may say that more came from its cache than there was: no part is more than its whole. */
export function tokenParts(usage: Usage): TokenParts {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  const { cached_tokens, cache_write_tokens = 0, audio_tokens } = usage.prompt_tokens_details
  const cached = Math.min(cached_tokens, prompt)
  const written = Math.min(cache_write_tokens, prompt - cached)
  const audio = Math.min(audio_tokens, prompt - cached - written)
  const spoken = Math.min(usage.completion_tokens_details.audio_tokens, completion)
  return {
    text: prompt - cached - written - audio,
    cached,
    written,
    audio,
    answer: completion - spoken,
    spoken,
  }
}
