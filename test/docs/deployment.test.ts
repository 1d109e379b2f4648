import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDeploy, readDeploy, stopSeconds } from '../deploy/files.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { readPage, root } from './runner/markdown.ts'

const page = 'docs/deployment.md'
const compose = parseDeploy('compose.yaml') as { services: Record<string, { image: string }> }

/** What these commands need is not on every machine: their syntax, and the files that they name, are checked. */
function checkCommands({ code }: Pick<Snippet, 'code'>): void {
  execFileSync('sh', ['-n', '-c', code])
  const paths = [...code.matchAll(/(?:^|[\s=])(deploy\/[\w./@-]+)/g)].map(([, path]) => path!)
  for (const path of paths) expect(existsSync(join(root, path)), path).toBe(true)
}

describePage(page, {
  docker: async snippet => {
    checkCommands(snippet)
    expect(snippet.code).toContain(`--stop-timeout ${stopSeconds()} `)
    expect(snippet.code).toContain(`--tag ${compose.services.gateway!.image} `)
    expect(readDeploy('Dockerfile')).toContain(snippet.code.split('\n')[0])
  },
  compose: async snippet => {
    checkCommands(snippet)
    expect(readDeploy('compose.yaml')).toContain(snippet.code.split('\n')[2])
  },
  kubernetes: async snippet => {
    checkCommands(snippet)
    // A folder is applied without the folders in it: the job and the example stay out.
    const applied = readdirSync(join(root, 'deploy/kubernetes')).filter(name => name.endsWith('.yaml'))
    expect(applied).toHaveLength(6)
    expect(snippet.code).toContain(
      `job/${(parseDeploy('kubernetes/migrate/job.yaml').metadata as { name: string }).name}`,
    )
  },
  systemd: async snippet => {
    checkCommands(snippet)
    const unit = readDeploy('systemd/sluice@.service')
    for (const path of ['/opt/sluice', '/etc/sluice/sluice.config.yaml', '/etc/sluice/env']) {
      expect(snippet.code).toContain(path)
      expect(unit).toContain(path)
    }
  },
  nginx: async snippet => checkCommands(snippet),
  caddy: async snippet => checkCommands(snippet),
  'rolling-restart': async snippet => {
    checkCommands(snippet)
    const [, ports = ''] = /restart\.sh ([\d ]+)/.exec(snippet.code) ?? []
    for (const port of ports.split(' ')) {
      expect(readDeploy('nginx/sluice-upstream.conf')).toContain(`server 127.0.0.1:${port} `)
    }
  },
})

describe('the page', () => {
  const text = readPage(page)

  it('names every file of deploy, and only such files', () => {
    const files = readdirSync(join(root, 'deploy'), {
      recursive: true,
      withFileTypes: true,
      encoding: 'utf8',
    })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
      .filter(path => !path.includes('node_modules') && !path.endsWith('/.env'))
    // A folder that the page names stands for its files.
    const named = [...text.matchAll(/`(deploy(?:\/[\w./@-]+)?)`/g)].map(([, path]) => path!)
    const unnamed = files.filter(
      path =>
        !named.some(name => path === name || (name !== 'deploy' && path.startsWith(`${name}/`))) &&
        !text.includes(`\`${path.split('/').at(-1)}\``),
    )
    expect(unnamed).toEqual([])
    for (const path of named) expect(existsSync(join(root, path)), path).toBe(true)
  })

  it('has the times of the files', () => {
    const { server } = parseDeploy('sluice.config.yaml') as {
      server: { shutdownDelayMs: number; drainMs: number }
    }
    expect(text).toContain(`| \`server.shutdownDelayMs\` | ${server.shutdownDelayMs / 1_000} s |`)
    expect(text).toContain(`| \`server.drainMs\` | ${server.drainMs / 1_000} s |`)
    expect(text).toContain(`| ${stopSeconds()} s | the sum of both`)
  })

  it('shows settings of nginx that the file has', () => {
    const files = readDeploy('nginx/sluice.conf') + readDeploy('nginx/sluice-upstream.conf')
    const settings = [...text.matchAll(/^\| `((?:proxy|keepalive|client)_[^`]+)`/gm)].map(
      ([, setting]) => setting,
    )
    expect(settings.length).toBeGreaterThan(4)
    for (const setting of settings) expect(files).toContain(`${setting};`)
  })
})
