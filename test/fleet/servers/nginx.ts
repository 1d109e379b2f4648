import { mkdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { readDeploy } from '../../deploy/files.ts'
import { addresses, gateways, ports } from '../network/addresses.ts'
import { type FleetContext, Program } from './program.ts'

/** Starts nginx with the files of `deploy/nginx`, without TLS, in front of the four gateways. */
export async function startNginx(context: FleetContext): Promise<Program> {
  const folder = join(context.folder, 'nginx')
  mkdirSync(folder)
  const servers = gateways.map(name => `    server ${addresses[name]}:${ports.gateway} fail_timeout=5s;\n`)
  const upstream = readDeploy('nginx/sluice-upstream.conf').replace(
    /^ +server 127\.0\.0\.1:8787 .*\n +server 127\.0\.0\.1:8788 .*\n/m,
    servers.join(''),
  )
  if (!upstream.includes(servers.join('')))
    throw new Error('deploy/nginx/sluice-upstream.conf has other lines.')
  const [, , secure = ''] = readDeploy('nginx/sluice.conf').split(/^server /m)
  const site = secure
    .replace('listen 443 ssl http2;', `listen ${addresses.nginx}:${ports.nginx};`)
    .replaceAll(/^ +(?:listen \[::\]:443 .*|ssl_.*)$/gm, '')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${upstream}
  server ${site}
}
`,
  )
  const command = ['nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')]
  const program = Program.start(context, 'nginx', command)
  await program.until(() => answers(`http://${addresses.nginx}/metrics`))
  return program
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    get(url, response => {
      response.resume()
      resolve(response.statusCode === 404)
    }).once('error', reject)
  })
}
