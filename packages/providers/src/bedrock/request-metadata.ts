import type { ChatRequest } from '@sluice/core'
import type { Adjusting } from '../parameters/adjusting.ts'

/** With the white space of ASCII only, as the service has it. */
const form = /^[a-zA-Z0-9 \t\n\v\f\r:_@$#=/+,.-]{0,256}$/

/** `metadata` as `requestMetadata`, which takes few characters: pairs that do not fit are left out, and told of. */
export function requestMetadata(
  metadata: ChatRequest['metadata'],
  adjusting: Adjusting,
): Readonly<Record<string, string>> {
  const fitting: Record<string, string> = {}
  for (const [key, value] of Object.entries(metadata ?? {})) {
    if (key !== '' && form.test(key) && form.test(value)) {
      Object.defineProperty(fitting, key, { value, enumerable: true, configurable: true, writable: true })
    } else adjusting.drop(`metadata.${key}`, 'characters or length that this vendor does not take')
  }
  return fitting
}
