import type { Dialect } from '../../contracts/dialect.ts'
import { chatOutline } from './outline.ts'

/** Chat completions. */
export const chatDialect: Pick<Dialect, 'name' | 'operation' | 'outline'> = {
  name: 'chat',
  operation: 'generate',
  outline: chatOutline,
}
