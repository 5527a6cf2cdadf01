// A file system with room for next to nothing.
#ifndef TIDEMARK_TESTS_SUPPORT_SMALL_DISK_H_
#define TIDEMARK_TESTS_SUPPORT_SMALL_DISK_H_

#include <sys/mount.h>
#include <sys/stat.h>

#include <string>

namespace tidemark::testing {

// <folder>/disk, of `size` ("size=16k"), until the object's end. Needs root: ask mounted().
class SmallDisk {
 public:
  SmallDisk(const std::string& folder, const char* size) : path_(folder + "/disk") {
    mkdir(path_.c_str(), 0755);
    mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, size) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool Resize(const char* size) { return mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT, size) == 0; }
  bool mounted() const { return mounted_; }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  bool mounted_ = false;
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_SMALL_DISK_H_
