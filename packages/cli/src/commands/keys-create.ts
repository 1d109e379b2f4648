import type { KeySpec } from '@sluice/core/keys'
import { type Command, CommandError } from '../command.ts'
import { rejectPositionals, textOf, textsOf } from '../command-line/arguments.ts'
import { parseTime } from '../command-line/parse-time.ts'
import { limitOf, tagsOf } from '../keys/key-arguments.ts'
import { shownKey } from '../keys/keys-text.ts'
import { databaseHelp, databaseOptions, type NamedDatabase, withDatabase } from '../keys/with-database.ts'

/** `sluice keys create`. */
export const keysCreate: Command = {
  name: 'keys create',
  summary: 'creates an API key, and prints it once',
  help: `
Usage: sluice keys create --name NAME [options]

  --name NAME       display name
  --model PATTERN   model that the key may use, such as gpt-4o or 'openai/*'; repeatable. Default: all
  --tag NAME=VALUE  such as team=search; repeatable
  --limit RULE      requests:60/minute, tokens:100000/day, concurrent:4 or budget:5usd/month; repeatable
  --expires WHEN    a date (2026-12-31, at midnight UTC), a time (2026-12-31T08:00Z) or a span (30d). Default: never
${databaseHelp}
  --json            prints the key and its record as JSON

Example: sluice keys create --name "Ann's notebook" --model 'openai/*' --limit requests:10/minute --expires 90d`,
  options: {
    name: { type: 'string' },
    model: { type: 'string', multiple: true },
    tag: { type: 'string', multiple: true },
    limit: { type: 'string', multiple: true },
    expires: { type: 'string' },
    ...databaseOptions,
    json: { type: 'boolean' },
  },
  async run(values, positionals, context) {
    rejectPositionals('keys create', positionals)
    const name = textOf(values, 'name')
    if (name === undefined)
      throw new CommandError('sluice keys create needs a name: --name "Ann\'s notebook".', 2)
    const [models, tags, rules] = ['model', 'tag', 'limit'].map(option => textsOf(values, option))
    const expires = textOf(values, 'expires')
    const expiresAt = expires === undefined ? undefined : parseTime('--expires', expires, context.now(), 1)
    if (expiresAt !== undefined && expiresAt <= context.now()) {
      throw new CommandError(`--expires is ${new Date(expiresAt).toISOString()}, which is in the past.`, 2)
    }
    const spec: KeySpec = {
      name,
      ...(models?.length ? { models } : {}),
      ...(tags?.length ? { tags: tagsOf(tags) } : {}),
      ...(rules?.length ? { limits: rules.map(limitOf) } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    return withDatabase(values, context, issue, { makes: true })

    async function issue({ keys, label }: NamedDatabase): Promise<number> {
      const { key, stored } = await keys.issue(spec)
      if (values.json === true) {
        context.print(JSON.stringify({ key, ...shownKey(stored) }, null, 2))
        return 0
      }
      context.print(key)
      context.log(`Created key ${stored.id} in ${label}. Save it now: it is shown only once.`)
      return 0
    }
  },
}
