import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

export type Certificate = ReturnType<typeof trustedCertificate>;

const OPTIONS = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1';
const SUBJECT = '-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';

/** Makes a self-signed certificate, which the clients of this thread trust from now on. */
export function trustedCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-certificate-'));
  const [file, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  // The certificate and the key in one file, as HAProxy reads them.
  const combinedFile = join(folder, 'both.pem');
  const words = [...`req ${OPTIONS} ${SUBJECT}`.split(' '), '-keyout', keyFile, '-out', file];
  execFileSync('openssl', words, { stdio: 'ignore' });
  const certificate = readFileSync(file, 'utf8');
  writeFileSync(combinedFile, certificate + readFileSync(keyFile, 'utf8'));
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate]);
  const remove = () => {
    setDefaultCACertificates(trusted);
    rmSync(folder, { recursive: true, force: true });
  };
  return { file, keyFile, combinedFile, remove };
}
