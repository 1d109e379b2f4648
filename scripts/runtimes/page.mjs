import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run.mjs'

/** What makes the gateway in a snippet: the cases need another one, with a vendor and limits. */
const making = /const gateway = createGateway\(\{\n(?: .*\n)*\}\)\n/

/** The pages of the snippets that are not in docs/runtimes.md. */
const pages = { fastify: 'fastify.md', hono: 'hono.md', next: 'nextjs.md' }

/** A snippet of the pages on runtimes and frameworks: unchanged but for the gateway and the port. */
export function snippet(name, { port, upstream }, options = {}) {
  const file = pages[name] ?? 'runtimes.md'
  const page = readFileSync(join(root, 'docs', file), 'utf8')
  const code = new RegExp(`^\`\`\`ts ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1]
  if (code === undefined) throw new Error(`docs/${file} has no snippet '${name}'`)
  if (!making.test(code)) throw new Error(`the snippet '${name}' makes no gateway that could be replaced`)
  const made = `import { runtimeGateway } from './gateway.mjs'
const gateway = runtimeGateway('${upstream}', ${JSON.stringify(options)})
`
  return code.replace(making, () => made).replaceAll('3000', String(port))
}
