/**
 * What a request wants of a model: a generated answer, an embedding, the number of tokens of a prompt, an order of documents, a result of
 * moderation, or the continuation of a text.
 */
export type Operation = 'generate' | 'embed' | 'countTokens' | 'rerank' | 'moderate' | 'complete'

/** A media part of a request, as far as limits and routes need to know it. */
export interface OutlineMedia {
  readonly kind: 'image' | 'audio' | 'file' | 'video'
  /** Tokens to reserve for it, instead of `inlineBytes`. 0 for a file that is text: it counts by its bytes. */
  readonly tokens: number
  /** Size in bytes of its base64 text within the body, which is not counted as text. 0 for a file that is text. */
  readonly inlineBytes: number
}

/**
 * A dialect's first look at a parsed body, which may still be invalid. Routes, limits, sticky keys, prices and idempotency
 * read it instead of the body, so that they hold in every dialect. It never throws: an invalid value counts as absent, and
 * what is absent as not asked for. A member may be computed when it is read.
 */
export interface Outline {
  readonly stream: boolean
  /** The end user, as the caller names it. */
  readonly user?: string | undefined
  /** What the caller notes on the request, by name, such as chat's `metadata`. Values of other types than text are left out. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** A value that all requests of one conversation share, such as chat's `prompt_cache_key`. */
  readonly conversationKey?: string | undefined
  /** Whether tools are on offer. */
  readonly hasTools?: boolean | undefined
  /** Images, audio, files and videos, in the order of the request. Default: none. */
  readonly media?: readonly OutlineMedia[] | undefined
  /**
   * The number of prompt tokens, where the size of the request does not show it: exact for a request that is in tokens itself, high
   * for one whose texts are read several times. Otherwise `undefined`: it is estimated.
   */
  readonly promptTokens?: number | undefined
  /** Maximum number of search units, by which some vendors bill an order of documents. Default: none. */
  readonly searchUnits?: number | undefined
  /** Number of answers, from 1. Default 1. */
  readonly choices?: number | undefined
  /** Maximum tokens of one answer; `undefined` if the request names none. */
  readonly maxOutputTokens?: number | undefined
  /** Whether the prompt has audio, or refers to earlier audio. */
  readonly hasAudio?: boolean | undefined
  /** Whether the answer may have audio. */
  readonly wantsAudio?: boolean | undefined
  /** The service tier, as the caller names it. */
  readonly serviceTier?: string | undefined
  /** Whether the vendor may search the web, which is billed in addition. */
  readonly searchesWeb?: boolean | undefined
  /** Whether it offers the vendor's web search beside other tools: only targets that permit `server_tools` then search. */
  readonly offersWebSearch?: boolean | undefined
}
