import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findCommand, run } from './commands.mjs';

/** Later versions depend on kafka-tools-api, which is no longer published on Maven Central. */
export const KAFKA_VERSION = '4.1.2';
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
const JVMS = '/usr/lib/jvm';

export function missingPackages() {
  const packages = findJava() ? [] : ['openjdk-17-jre-headless'];
  if (!existsSync(jarFolder()) && !findCommand('mvn')) packages.push('maven');
  return packages;
}

/** Returns the path of Java 17 or later, on the PATH or installed by Debian. */
export function findJava() {
  const installed = existsSync(JVMS) ? readdirSync(JVMS).map((name) => join(JVMS, name, 'bin/java')) : [];
  return [findCommand('java'), ...installed].find((java) => java && javaVersion(java) >= 17);
}

/** Returns the folder with Kafka's jars. Downloads them from Maven Central once per machine and version. */
export async function downloadKafkaJars(logFile) {
  const folder = jarFolder();
  if (existsSync(folder)) return folder;
  console.error(`downloading Apache Kafka ${KAFKA_VERSION} from Maven Central`);
  mkdirSync(cacheFolder(), { recursive: true });
  const work = mkdtempSync(join(cacheFolder(), 'download-'));
  try {
    const jars = join(work, 'jars');
    writeFileSync(join(work, 'pom.xml'), pom());
    const maven = ['-B', '-ntp', '-q', '-f', join(work, 'pom.xml'), COPY, '-DincludeScope=runtime'];
    const env = { ...process.env, JAVA_HOME: join(findJava(), '../..') };
    await run(findCommand('mvn'), [...maven, `-DoutputDirectory=${jars}`], {
      logFile,
      env,
      timeoutMs: 600_000,
    });
    // Renamed at the end, so that a folder with the final name is always complete.
    if (!existsSync(folder)) renameSync(jars, folder);
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const cacheFolder = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'model-gateway');
const jarFolder = () => join(cacheFolder(), `kafka-${KAFKA_VERSION}`);

function javaVersion(java) {
  try {
    const text = execFileSync(java, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number(/\d+/.exec(text)?.[0] ?? 0);
  } catch {
    return 0;
  }
}

/** slf4j-simple makes Kafka log to standard error, which is redirected to the log file. */
function pom() {
  const dependency = (group, artifact, version) =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>kafka-jars</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    ${dependency('org.apache.kafka', 'kafka_2.13', KAFKA_VERSION)}
    ${dependency('org.slf4j', 'slf4j-simple', '1.7.36')}
  </dependencies>
</project>
`;
}
