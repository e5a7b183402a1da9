import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { type Browser, type Page, chromium } from 'playwright-core';
import { type RunningService, freePort, startService } from '../support/running-service.js';

const SCREENSHOTS = 'tests/output';

function installedChromium(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin'];
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
}

describe('The API reference, on the management port of the built server', function () {
  this.timeout(120_000);
  let dataDir: string;
  let service: RunningService;
  let management: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'reference-'));
    const port = await freePort();
    management = `http://127.0.0.1:${port}`;
    service = await startService(dataDir, { DATABASE_URL: 'memory:', MANAGEMENT_PORT: String(port) });
  });
  after(async () => {
    await service.end('SIGINT');
    await rm(dataDir, { recursive: true });
  });

  it('names the address that the API is reached at', async () => {
    const response = await fetch(`${management}/openapi.json`);
    const { openapi, servers } = (await response.json()) as { openapi: string; servers: { url: string }[] };
    expect(openapi).to.equal('3.1.0');
    expect(servers.map(({ url }) => url)).to.deep.equal([service.url]);
  });

  it('lets its page load from here and call the API, and nothing else', async () => {
    const page = await fetch(`${management}/docs`);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')?.split(';')).to.have.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      `connect-src 'self' ${service.url}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(await page.text()).not.to.match(/https?:\/\//);
    expect((await fetch(`${management}/docs/package.json`)).status).to.equal(404);
  });

  describe('in a browser', () => {
    let browser: Browser;
    let page: Page;
    const complaints: string[] = [];
    before(async function () {
      const executablePath = installedChromium();
      if (executablePath === undefined) {
        console.log('      no Chromium on this machine');
        this.skip();
      }
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
      page.on('console', (message) => {
        if (message.type() !== 'log') complaints.push(`${message.type()}: ${message.text()}`);
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        const { protocol, origin } = new URL(request.url());
        if (protocol.startsWith('http') && ![management, service.url].includes(origin))
          complaints.push(`asks ${request.url()}`);
      });
      page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    });
    after(() => browser?.close());

    it('shows every operation without a complaint', async () => {
      await page.goto(`${management}/docs`);
      await page.locator('.opblock').first().waitFor();
      const { paths } = (await (await fetch(`${management}/openapi.json`)).json()) as { paths: object };
      const operations = Object.values(paths).flatMap((path: object) => Object.keys(path));
      expect(await page.locator('.opblock').count()).to.equal(operations.length);
      expect(await page.locator('.errors-wrapper').count()).to.equal(0);
      expect(complaints).to.deep.equal([]);
    });

    it('sends a request to the API and shows its answer', async () => {
      await page.locator('#operations-General-getStatistics .opblock-summary-control').click();
      await page.locator('#operations-General-getStatistics .execute').click();
      const live = page.locator('#operations-General-getStatistics .live-responses-table');
      await live.waitFor();
      expect(await live.locator('.response-col_status').nth(1).innerText()).to.match(/^200/);
      expect(await live.locator('.response-col_description').nth(1).innerText()).to.match(/"stations": \d+/);
      await mkdir(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, 'api-reference.png'), fullPage: true });
      expect(complaints).to.deep.equal([]);
    });
  });
});
