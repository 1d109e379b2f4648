import type {
  Call,
  CountReply,
  EmbedReply,
  ModerateReply,
  Provider,
  Reply,
  RerankReply,
} from '../contracts/provider.ts'
import type { UpstreamResponse } from '../contracts/transport.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { memberOf } from '../primitives/own-members.ts'
import {
  LazyCall,
  LazyEmbedCall,
  LazyModerateCall,
  LazyNativeCall,
  LazyRerankCall,
  type PlannedCall,
} from './lazy-call.ts'
import { checkModeration, checkRerankReply } from './single-replies.ts'

/** A call as its provider gets it: what encodes it, and what decodes its response. */
export interface OpenCall {
  readonly form: PlannedCall['form']
  readonly stream: boolean
  /** The call for a generated answer or a number of tokens. Absent: it is for something else. */
  readonly call?: Call
  /** Returns what the provider returns, which is not validated. */
  encode(): unknown
  decode(response: UpstreamResponse): Decoded | PromiseLike<Decoded>
}

/** What a provider decodes. */
export type Decoded = Reply | OperationReply

/** What a provider decodes of a call that is not for a generated answer. */
export type OperationReply = EmbedReply | CountReply | RerankReply | ModerateReply

/** Opens a planned call. `owner` has its signal. */
export function openCall(
  provider: Provider,
  planned: PlannedCall,
  owner: { readonly signal: AbortSignal },
): OpenCall {
  switch (planned.form) {
    case 'translated': {
      const call = new LazyCall(planned, owner)
      return {
        form: planned.form,
        stream: planned.request.stream,
        call,
        encode: () => provider.encode(call),
        decode: response => provider.decode(response, call),
      }
    }
    case 'native': {
      const call = new LazyNativeCall(planned, owner)
      return {
        form: planned.form,
        stream: planned.request.stream,
        call,
        encode: () => provider.encodeNative!(call),
        decode: response => provider.decodeNative!(response, call),
      }
    }
    case 'complete': {
      const codec = memberOf(provider, 'complete')
      if (codec === undefined) throw withoutCodec('complete')
      const call = new LazyNativeCall(planned, owner)
      return {
        form: planned.form,
        stream: planned.request.stream,
        call,
        encode: () => codec.encode(call),
        decode: response => codec.decode(response, call),
      }
    }
    case 'embed': {
      const codec = memberOf(provider, 'embed')
      if (codec === undefined) throw withoutCodec('embed')
      const call = new LazyEmbedCall(planned, owner)
      return {
        form: planned.form,
        stream: false,
        encode: () => codec.encode(call),
        decode: response => codec.decode(response, call),
      }
    }
    case 'rerank': {
      const codec = memberOf(provider, 'rerank')
      if (codec === undefined) throw withoutCodec('rerank')
      const call = new LazyRerankCall(planned, owner)
      return {
        form: planned.form,
        stream: false,
        encode: () => codec.encode(call),
        decode: response => codec.decode(response, call),
      }
    }
    case 'moderate': {
      const codec = memberOf(provider, 'moderate')
      if (codec === undefined) throw withoutCodec('moderate')
      const call = new LazyModerateCall(planned, owner)
      return {
        form: planned.form,
        stream: false,
        encode: () => codec.encode(call),
        decode: response => codec.decode(response, call),
      }
    }
    case 'count': {
      const codec = memberOf(provider, 'count')
      if (codec === undefined) throw withoutCodec('count')
      const { native } = planned
      if (native === undefined) {
        const call = new LazyCall(planned, owner)
        return {
          form: planned.form,
          stream: false,
          call,
          encode: () => codec.encode!(call),
          decode: response => codec.decode(response, call),
        }
      }
      const call = new LazyNativeCall({ ...planned, native }, owner)
      return {
        form: planned.form,
        stream: false,
        call,
        encode: () => codec.encodeNative!(call),
        decode: response => codec.decode(response, call),
      }
    }
  }
}

/** The pipeline selects only targets that have it. */
function withoutCodec(name: 'embed' | 'count' | 'rerank' | 'moderate' | 'complete'): TypeError {
  return new TypeError(`The provider has no '${name}'.`)
}

/** Throws `UpstreamError` of kind `garbled` for a reply that is not what was asked for. */
export function checkReply(reply: OperationReply, planned: PlannedCall): void {
  if (planned.form === 'embed') {
    const asked = planned.part.inputs.length
    const { vectors } = reply as Partial<EmbedReply>
    if (vectors?.length === asked) return
    throw garbled(`The upstream returned ${vectors?.length ?? 0} embeddings for ${asked} inputs.`)
  }
  if (planned.form === 'rerank') {
    checkRerankReply(reply as Partial<RerankReply>, planned.request)
    return
  }
  if (planned.form === 'moderate') {
    checkModeration(reply as Partial<ModerateReply>, planned.request)
    return
  }
  if (planned.form !== 'count') throw garbled('The provider returned no generated answer.')
  const { promptTokens } = reply as Partial<CountReply>
  if (Number.isSafeInteger(promptTokens) && promptTokens! >= 0) return
  throw garbled('The upstream returned no number of tokens.')
}

function garbled(message: string): UpstreamError {
  return new UpstreamError(message, { kind: 'garbled' })
}
