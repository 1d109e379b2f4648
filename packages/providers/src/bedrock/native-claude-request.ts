import type { NativeCall } from '@sluice/core/provider'
import { bodyBetas, type KnownBetas } from '../anthropic/body-betas.ts'
import { type NativeBody, nativeText } from '../anthropic/native-body.ts'

/**
 * The body of InvokeModel for a Claude model: the caller's as it came, but that the path says the model and whether to stream,
 * and the body the version and the betas.
 */
export function nativeClaudeRequest(call: NativeCall, known: KnownBetas): NativeBody<string> {
  const { edits, adjustments } = bodyBetas(call, known)
  const own = [
    { path: ['model'], value: undefined },
    { path: ['stream'], value: undefined },
    { path: ['anthropic_version'], value: 'bedrock-2023-05-31' },
    ...edits,
  ]
  const native = nativeText(call, own, false)
  return { body: native.body, adjustments: [...native.adjustments, ...adjustments] }
}
