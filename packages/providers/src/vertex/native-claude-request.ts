import type { NativeCall } from '@sluice/core/provider'
import { bodyBetas, type KnownBetas } from '../anthropic/body-betas.ts'
import { type NativeBody, nativeBody } from '../anthropic/native-body.ts'
import { version } from './claude-request.ts'

/**
 * A caller's request to a Claude model: as it came, but that the path names the model, and the body the version and the betas.
 *
 * @param betas - the betas that are sent with each request.
 */
export function nativeClaudeRequest(
  call: NativeCall,
  known: KnownBetas,
  betas: readonly string[],
): NativeBody {
  const { edits, adjustments } = bodyBetas(call, known, betas)
  const own = [
    { path: ['model'], value: undefined },
    { path: ['anthropic_version'], value: version },
    ...edits,
  ]
  const native = nativeBody(call, own, false)
  return { body: native.body, adjustments: [...native.adjustments, ...adjustments] }
}
