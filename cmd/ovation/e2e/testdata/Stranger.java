import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

// Stranger publishes lines of standard input with the official client, as it is out of the
// box: idempotent, with acks of all. BROKER and TOPIC are its arguments. A line is WAY, tab,
// KEY, tab, VALUE; an empty key is none. WAY is a codec, or commit or abort: up to 25 such
// lines in a row are a transaction that ends so. At the end it reads the topic as a consumer
// of committed records does, and says how many it sent and read, or why it was refused.
public class Stranger {
  static final int TRANSACTION = 25;

  final String broker, topic;
  final Map<String, KafkaProducer<String, String>> producers = new HashMap<>();
  final List<Future<RecordMetadata>> sent = new ArrayList<>();
  KafkaProducer<String, String> transactional;
  String open = ""; // how the open transaction ends
  int inOpen, count;

  Stranger(String broker, String topic) {
    this.broker = broker;
    this.topic = topic;
  }

  public static void main(String[] args) throws Exception {
    Stranger s = new Stranger(args[0], args[1]);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try {
      for (String line; (line = in.readLine()) != null; ) {
        String[] part = line.split("\t", 3);
        s.send(part[0], part[1].isEmpty() ? null : part[1], part[2]);
      }
      s.end();
    } catch (KafkaException e) {
      System.out.println("refused " + e.getClass().getSimpleName());
      System.exit(3);
    }
    System.out.println("sent " + s.count + " read " + s.read());
  }

  void send(String way, String key, String value) {
    boolean inTransaction = way.equals("commit") || way.equals("abort");
    if (!open.isEmpty() && (!open.equals(way) || inOpen == TRANSACTION)) {
      endTransaction();
    }
    if (inTransaction && open.isEmpty()) {
      begin(way);
    }
    inOpen++;
    count++;
    KafkaProducer<String, String> p = inTransaction ? transactional : producers.computeIfAbsent(way, codec -> producer(codec, null));
    sent.add(p.send(new ProducerRecord<>(topic, key, value)));
  }

  void begin(String way) {
    if (transactional == null) {
      transactional = producer("lz4", "stranger-" + topic);
      transactional.initTransactions();
    }
    transactional.beginTransaction();
    open = way;
    inOpen = 0;
  }

  void endTransaction() {
    if (open.equals("commit")) {
      transactional.commitTransaction();
    } else {
      transactional.flush(); // what is aborted stands in the log
      transactional.abortTransaction();
    }
    open = "";
  }

  void end() throws Exception {
    if (!open.isEmpty()) {
      endTransaction();
    }
    for (KafkaProducer<String, String> p : producers.values()) {
      p.close();
    }
    if (transactional != null) {
      transactional.close();
    }
    for (Future<RecordMetadata> f : sent) {
      f.get();
    }
  }

  KafkaProducer<String, String> producer(String codec, String transaction) {
    Map<String, Object> c = new HashMap<>();
    c.put("bootstrap.servers", broker);
    c.put("compression.type", codec);
    if (transaction != null) {
      c.put("transactional.id", transaction);
    }
    return new KafkaProducer<>(c, new StringSerializer(), new StringSerializer());
  }

  // read is how many records there are for consumers of committed ones.
  int read() {
    Map<String, Object> c = new HashMap<>();
    c.put("bootstrap.servers", broker);
    c.put("isolation.level", "read_committed");
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(c, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> all = new ArrayList<>();
      consumer.partitionsFor(topic).forEach(p -> all.add(new TopicPartition(topic, p.partition())));
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      int n = 0;
      while (all.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        n += consumer.poll(Duration.ofMillis(100)).count();
      }
      return n;
    }
  }
}
