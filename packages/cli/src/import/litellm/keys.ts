import type { KeyConfig } from '../../config/config.ts'
import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { variable } from '../variables.ts'
import { secretText } from './settings-text.ts'

/** Who may call. A service without any key cannot be had: where the file has none, one is asked for. */
export function keysOf(general: Part, { reading, variables }: Importing): readonly KeyConfig[] {
  const key = secretText(general.at('master_key'), variables, 'LITELLM_MASTER_KEY')
  if (key !== undefined) {
    reading.note(
      'The master key calls models and does nothing else. Keys are issued by `sluice keys create`, or in the console, which is on where console.adminKey is set.',
    )
    return [{ id: 'master', key }]
  }
  reading.note(
    'The file has no master_key, so that LiteLLM lets everybody in. Here callers need the key in SLUICE_API_KEY.',
  )
  return [{ id: 'caller', key: variable('SLUICE_API_KEY') }]
}
